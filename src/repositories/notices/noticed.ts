// Repositories: notices from calls: a grant's first use, and a limit that is nearly or fully reached.
import type { Sql } from '#database/database.ts';
import { listsOf } from '#database/rows.ts';
import { IS_MEMBER } from '../status-sql.ts';

/** By kind, recipient, subject and occurrence. Two gateways that notify of the same could otherwise deadlock. */
const IN_ORDER = 'order by 1, 2, 3, 4';

/**
 * Grants used for a successful call. For grants from before notices were introduced it is unknown which use is the
 * first.
 */
export async function notifyFirstUses(sql: Sql, uses: readonly { grantId: string; at: string }[]): Promise<void> {
  const text = `insert into notices (kind, recipient, subject, occurrence, details)
    select 'grant_first_used', g.client_id, g.id, '', jsonb_build_object('at', used.at)
    from unnest($1::text[], $2::timestamptz[]) used (id, at) join grants g using (id), notice_looks
    where g.client_id is not null and g.activated_at >= began_at
    ${IN_ORDER}
    on conflict do nothing`;
  await sql.query({ text, values: listsOf(uses, 'grantId', 'at') });
}

export interface NearLimit {
  keyId: string;
  /** Whether a request was refused; otherwise the use was near the limit. */
  refused: boolean;
  /** The limit of the key with its rotations, or that of all keys of the firm. */
  of: 'key' | 'firm';
  /** Requests in any 60 seconds. */
  limit: number;
  at: string;
}

/** Each key's firm is notified of each of the two at most once a day (UTC). */
export async function notifyNearLimits(sql: Sql, nearLimits: readonly NearLimit[]): Promise<void> {
  const text = `insert into notices (kind, recipient, subject, occurrence, details)
    select case when p.refused then 'firm_limit_refused' else 'firm_limit_near' end, m.id, k.lineage_id,
      to_char(p.at at time zone 'UTC', 'YYYY-MM-DD'), jsonb_build_object('of', p.of, 'limit', p."limit", 'at', p.at)
    from json_to_recordset($1::json) as p("keyId" text, refused boolean, of text, "limit" integer, at timestamptz)
    join api_keys k on k.id = p."keyId"
    join users m on m.firm_id = k.firm_id and ${IS_MEMBER}
    ${IN_ORDER}
    on conflict do nothing`;
  await sql.query({ text, values: [JSON.stringify(nearLimits)] });
}
