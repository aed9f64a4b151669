// Repositories: whose rows an actor may access. Others are answered as if they did not exist.

/** SQL expressions (columns or parameters) that the condition compares. */
interface Compared {
  actorKind: string;
  actorId: string;
  firm: string;
  /** Absent: clients have no access to such rows. */
  client?: string;
}

/** A condition: operators and the system have access to everything, firm members their firm's, clients their own. */
export function accessCondition({ actorKind, actorId, firm, client }: Compared): string {
  const own = client === undefined ? '' : `or (${actorKind} = 'client' and ${client} = ${actorId})`;
  return `(${actorKind} in ('operator', 'system')
    or (${actorKind} = 'firm_member' and ${firm} = (select m.firm_id from users m where m.id = ${actorId})) ${own})`;
}
