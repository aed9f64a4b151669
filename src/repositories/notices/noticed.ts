// Repositories: what gateways notice of calls, and people are told of: a grant's first use, a limit that is nearly or quite reached.
import type { Sql } from '#database/database.ts';
import { IS_MEMBER } from '../status-sql.ts';

/** Grants through which something was read. Of those that were given before notifications began, nobody knows which use is the first. */
export async function tellFirstUses(sql: Sql, uses: readonly { grantId: string; at: string }[]): Promise<void> {
  await sql.query({
    text: `insert into notices (kind, recipient, subject, occurrence, details)
      select 'grant_first_used', g.client_id, g.id, '', jsonb_build_object('at', used.at)
      from unnest($1::text[], $2::timestamptz[]) used (id, at) join grants g using (id), notice_looks
      where g.client_id is not null and g.activated_at >= began_at
      on conflict do nothing`,
    values: [uses.map(({ grantId }) => grantId), uses.map(({ at }) => at)],
  });
}

export interface LimitPressure {
  keyId: string;
  /** Whether a request was refused for it; else at least four fifths of it were used. */
  refused: boolean;
  /** Whose limit: that of the key with its rotations, or that of all keys of the firm. */
  of: 'key' | 'firm';
  /** Requests in any 60 seconds. */
  limit: number;
  at: string;
}

/** Each key's firm is told at most once a day (UTC) of either. */
export async function tellLimits(sql: Sql, pressures: readonly LimitPressure[]): Promise<void> {
  await sql.query({
    text: `insert into notices (kind, recipient, subject, occurrence, details)
      select case when p.refused then 'firm_limit_refused' else 'firm_limit_near' end, m.id, k.lineage_id,
        to_char(p.at at time zone 'UTC', 'YYYY-MM-DD'), jsonb_build_object('of', p.of, 'limit', p."limit", 'at', p.at)
      from json_to_recordset($1::json) as p("keyId" text, refused boolean, of text, "limit" integer, at timestamptz)
      join api_keys k on k.id = p."keyId"
      join users m on m.firm_id = k.firm_id and ${IS_MEMBER}
      on conflict do nothing`,
    values: [JSON.stringify(pressures)],
  });
}
