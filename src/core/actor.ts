// Core: who caused a recorded event.

/** `member_as_test_client`: a firm's member who acts for a test client of the firm. */
export type ActorKind = 'operator' | 'firm_member' | 'member_as_test_client' | 'client' | 'system';

export interface Actor {
  kind: ActorKind;
  /** A user's id; for an operator the name at the command line; for the system the part that acted. */
  id: string;
}

/** The form in which records keep an actor: `client:usr_01J…`. */
export function actorText({ kind, id }: Actor): string {
  return `${kind}:${id}`;
}
