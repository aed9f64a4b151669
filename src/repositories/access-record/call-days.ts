// Repositories: on which days a firm's keys had calls of a kind, by the sums of days, which include every listed call.
import { refuseParameter } from '#core/errors.ts';
import type { Outcome } from '#core/outcome.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { readValue } from '#database/rows.ts';
import { firmOf } from '../access-condition.ts';
import type { Walk } from '../walk.ts';

export interface FirmQuery {
  keyId: string | null;
  outcome: Outcome | null;
  endpoint: string | null;
  status: number | null;
  errorCode: string | null;
  /** RFC 3339, inclusive. */
  since: string | null;
  /** RFC 3339, exclusive. */
  until: string | null;
}

/** SQL that is true for rows `r` with this outcome, worded like the condition of the partial index of refusals. */
export const OUTCOMES: Record<Outcome, string> = {
  ok: 'r.status < 400',
  refused: 'r.status >= 400 and r.status < 500 and r.status <> 429',
  limited: 'r.status >= 400 and r.status = 429',
  failed: 'r.status >= 400 and r.status >= 500',
};

/** The UTC day of a key. */
export interface KeyDay {
  keyId: string;
  /** `2026-01-15` */
  day: string;
}

/**
 * The newest days with calls that match, one for each key and kind of call: all of them, or more than `size`, and then
 * all of the oldest day. They may count calls that are no longer in the record, or were never listed.
 */
export function daysWithCalls(sql: Sql, memberId: string, query: FirmQuery, { size, after }: Walk): Promise<KeyDay[]> {
  const bindings = new Bindings();
  const text = `select r.key_id as "keyId", r.day from access_days r where ${matching(memberId, query, after, bindings)}
    order by r.day desc fetch first (${bindings.add(size + 1)}) rows with ties`;
  return sql.query<KeyDay>({ text, values: bindings.values });
}

/** Calls that a request can search one by one, each of which may be a read from the disk. */
const MAX_SEARCHED = 300_000;

/** Throws Refusal `invalid_parameter` if there are too many calls to search each for a request id. */
export async function requireFewCalls(sql: Sql, memberId: string, query: FirmQuery): Promise<void> {
  const bindings = new Bindings();
  const text = `select coalesce(sum(calls), 0) > ${MAX_SEARCHED} as many from (
    select r.calls from access_days r where ${matching(memberId, query, null, bindings)} limit ${MAX_SEARCHED + 1}) r`;
  if (await readValue<boolean>(sql, { text, values: bindings.values }))
    refuseParameter('requestId', 'There are too many calls to search all of them. Choose a key or a day.');
}

function matching(memberId: string, query: FirmQuery, after: Walk['after'], bindings: Bindings): string {
  const { keyId, outcome, endpoint, status, errorCode, since, until } = query;
  const conditions = [`r.firm_id = ${firmOf(bindings.add(memberId))}`];
  const equal = { key_id: keyId, endpoint, status, error_code: errorCode };
  for (const [column, value] of Object.entries(equal))
    if (value !== null) conditions.push(`r.${column} = ${bindings.add(value)}`);
  if (outcome !== null) conditions.push(OUTCOMES[outcome]);
  if ((status ?? 0) >= 400 || errorCode !== null) conditions.push('r.status >= 400');
  const dayOf = (time: string) => `(${bindings.add(time)}::timestamptz at time zone 'UTC')::date`;
  if (since !== null) conditions.push(`r.day >= ${dayOf(since)}`);
  for (const time of [until, after?.[0]])
    if (time !== null && time !== undefined) conditions.push(`r.day <= ${dayOf(time)}`);
  return conditions.join(' and ');
}
