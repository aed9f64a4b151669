// Repositories: the witnesses' cosignatures of the ledger, and the checkpoint published with them.
import type { Sql } from '#database/database.ts';

/**
 * SQL: whether the instant is less than this many seconds ago. An instant in the future was written before the
 * database's clock was set back.
 */
const isRecent = (instant: string, seconds: string): string =>
  `(${instant} > now_ms() - ${seconds}::float8 * interval '1 second' and ${instant} <= now_ms())`;

/** Whether the last round of requests to the witnesses started at least this many seconds ago. */
export async function isRoundDue(sql: Sql, seconds: number): Promise<boolean> {
  const [row] = await sql.query<{ due: boolean }>({
    text: `select not exists (select from ledger_publication where ${isRecent('taken_at', '$1')}) as due`,
    values: [seconds],
    prepare: true,
  });
  return row?.due === true;
}

/**
 * Claims the next round for this process. Returns the instant that identifies it; null if another process has started
 * one.
 */
export async function claimRound(sql: Sql, seconds: number): Promise<string | null> {
  const [row] = await sql.query<{ taken: string }>({
    text: `insert into ledger_publication as p (single, taken_at) values (true, now_ms())
      on conflict (single) do update set taken_at = excluded.taken_at
        where not ${isRecent('p.taken_at', '$1')}
      returning taken_at as taken`,
    values: [seconds],
  });
  return row?.taken ?? null;
}

/** Does nothing if another process has started a round since. */
export async function publish(sql: Sql, taken: string, checkpoint: string): Promise<void> {
  await sql.query({
    text: 'update ledger_publication set checkpoint = $2, published_at = now_ms() where taken_at = $1::timestamptz',
    values: [taken, checkpoint],
  });
}

/** Null if none was published in the last `seconds`. */
export async function readPublished(sql: Sql, seconds: number): Promise<string | null> {
  const [row] = await sql.query<{ checkpoint: string | null }>({
    text: `select checkpoint from ledger_publication where ${isRecent('published_at', '$1')}`,
    values: [seconds],
    prepare: true,
  });
  return row?.checkpoint ?? null;
}

/** How many entries the witness is known to have cosigned. Also records that it was asked. */
export async function recordRequest(sql: Sql, witness: string): Promise<number> {
  const [row] = await sql.query<{ size: number }>({
    text: `with asked as (insert into ledger_witnesses (witness, size) values ($1, 0) on conflict do nothing)
      select size from ledger_witnesses where witness = $1`,
    values: [witness],
  });
  return row?.size ?? 0;
}

export async function saveCosigned(sql: Sql, witness: string, size: number): Promise<void> {
  await sql.query({
    text: 'update ledger_witnesses set size = $2, cosigned_at = now_ms() where witness = $1',
    values: [witness, size],
  });
}

export interface WitnessState {
  witness: string;
  /** Seconds since it cosigned, or since it was first asked if it never did, by the database's clock. */
  seconds: number;
  cosigned: boolean;
}

/** States of those of these verifier keys that were ever asked. */
export function readWitnessStates(sql: Sql, witnesses: readonly string[]): Promise<WitnessState[]> {
  return sql.query<WitnessState>({
    text: `select witness, cosigned_at is not null as cosigned,
        greatest(extract(epoch from now_ms() - coalesce(cosigned_at, asked_at)), 0)::float8 as seconds
      from ledger_witnesses where witness = any($1::text[]) order by witness`,
    values: [witnesses],
    prepare: true,
  });
}
