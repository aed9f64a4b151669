// Repositories: which rows an actor may access. Rows of others are treated as if they did not exist.
import { IS_MEMBER } from './status-sql.ts';

/** SQL expressions (columns or parameters) that the condition compares. */
interface Compared {
  actorKind: string;
  actorId: string;
  firm: string;
  /** Absent where clients have no access to such rows. */
  client?: string;
}

/** SQL for the firm of this user; null if the user is no member of one. */
export const firmOf = (user: string): string => `(select m.firm_id from users m where m.id = ${user} and ${IS_MEMBER})`;

/**
 * SQL condition: operators and the system have access to all rows, firm members to their firm's, clients to their own,
 * and a member who acts for test clients to those of the firm's test clients.
 */
export function accessCondition({ actorKind, actorId, firm, client }: Compared): string {
  const own =
    client === undefined
      ? ''
      : `or (${actorKind} = 'client' and ${client} = ${actorId})
    or (${actorKind} = 'member_as_test_client' and exists (
      select from users c join users m on m.firm_id = c.test_firm_id
      where c.id = ${client} and c.deleted_at is null and m.id = ${actorId} and ${IS_MEMBER}))`;
  return `(${actorKind} in ('operator', 'system')
    or (${actorKind} = 'firm_member' and ${firm} = ${firmOf(actorId)}) ${own})`;
}
