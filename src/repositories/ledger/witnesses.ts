// Repositories: the witnesses' cosignatures of the ledger, and the checkpoint published with them.
import type { Sql } from '#database/database.ts';
import { findValue, readValue } from '#database/rows.ts';

/**
 * SQL: whether the instant is less than this many seconds ago. An instant in the future was written before the
 * database's clock was set back.
 */
const isRecent = (instant: string, seconds: string): string =>
  `(${instant} > now_ms() - ${seconds}::float8 * interval '1 second' and ${instant} <= now_ms())`;

/** Whether there is a checkpoint, and the last round of requests to the witnesses started at least this many seconds ago. */
export function isRoundDue(sql: Sql, seconds: number): Promise<boolean> {
  const text = `select exists (select from ledger where checkpoint is not null)
    and not exists (select from ledger_publication where ${isRecent('taken_at', '$1')}) as due`;
  return readValue(sql, { text, values: [seconds], prepare: true });
}

/**
 * Claims the next round for this process. Returns the instant that identifies it; null if another process has started
 * one.
 */
export function claimRound(sql: Sql, seconds: number): Promise<string | null> {
  const text = `insert into ledger_publication as p (single, taken_at) values (true, now_ms())
    on conflict (single) do update set taken_at = excluded.taken_at
      where not ${isRecent('p.taken_at', '$1')}
    returning taken_at as taken`;
  return findValue(sql, { text, values: [seconds] });
}

/** Does nothing if another process has started a round since. */
export async function publish(sql: Sql, taken: string, checkpoint: string): Promise<void> {
  const text =
    'update ledger_publication set checkpoint = $2, published_at = now_ms() where taken_at = $1::timestamptz';
  await sql.query({ text, values: [taken, checkpoint] });
}

/** Null if none was published in the last `seconds`. */
export function readPublished(sql: Sql, seconds: number): Promise<string | null> {
  const text = `select checkpoint from ledger_publication where ${isRecent('published_at', '$1')}`;
  return findValue(sql, { text, values: [seconds], prepare: true });
}

/** How many entries the witness is known to have cosigned. Also records that it was asked. */
export async function recordRequest(sql: Sql, witness: string): Promise<number> {
  const text = `with asked as (insert into ledger_witnesses (witness, size) values ($1, 0) on conflict do nothing)
    select size from ledger_witnesses where witness = $1`;
  const size = await findValue<number>(sql, { text, values: [witness] });
  return size ?? 0;
}

export async function saveCosigned(sql: Sql, witness: string, size: number): Promise<void> {
  const text = 'update ledger_witnesses set size = $2, cosigned_at = now_ms() where witness = $1';
  await sql.query({ text, values: [witness, size] });
}

export interface WitnessState {
  witness: string;
  /** Seconds since it cosigned, or since it was first asked if it never did, by the database's clock. */
  seconds: number;
  cosigned: boolean;
}

/** States of those of these verifier keys that were ever asked. */
export function readWitnessStates(sql: Sql, witnesses: readonly string[]): Promise<WitnessState[]> {
  const text = `select witness, cosigned_at is not null as cosigned,
      greatest(extract(epoch from now_ms() - coalesce(cosigned_at, asked_at)), 0)::float8 as seconds
    from ledger_witnesses where witness = any($1::text[]) order by witness`;
  return sql.query<WitnessState>({ text, values: [witnesses], prepare: true });
}
