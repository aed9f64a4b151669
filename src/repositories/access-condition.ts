// Repositories: whose rows an actor reaches. What lies out of reach is answered as if it did not exist.

/** SQL expressions (columns or parameters) that the condition compares. */
interface Reach {
  actorKind: string;
  actorId: string;
  firm: string;
  /** Absent: clients do not reach such rows. */
  client?: string;
}

/** A condition: operators and the system reach everything, firm members their firm's, clients their own. */
export function within({ actorKind, actorId, firm, client }: Reach): string {
  const own = client === undefined ? '' : `or (${actorKind} = 'client' and ${client} = ${actorId})`;
  return `(${actorKind} in ('operator', 'system')
    or (${actorKind} = 'firm_member' and ${firm} = (select m.firm_id from users m where m.id = ${actorId})) ${own})`;
}
