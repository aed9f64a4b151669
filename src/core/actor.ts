// Core: who caused a recorded event.

/** `member_as_test_client`: a firm's member who acts for a test client of the firm. */
export type ActorKind = 'operator' | 'firm_member' | 'member_as_test_client' | 'client' | 'system';

export interface Actor {
  kind: ActorKind;
  /** A user's id; for an operator, the name given at the command line; for the system, the component that acted. */
  id: string;
}

/** The text form of an actor in records: `client:usr_01J…`. */
export function actorText({ kind, id }: Actor): string {
  return `${kind}:${id}`;
}
