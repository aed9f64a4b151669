// Repositories: which batches of access records are saved: the number of the last batch of each writer.
import { hash } from 'node:crypto';
import type { AccessBatch } from '#core/events.ts';
import type { Sql } from '#database/database.ts';
import { readColumn } from '#database/rows.ts';

/**
 * Identifies an attempt to save. A writer's id is unique, and each new attempt has a higher number; a retry has the
 * same.
 */
export type SaveId = Pick<AccessBatch, 'writer' | 'number'>;

export const ALREADY_SAVED = 'already saved';
export type Before = number | null | typeof ALREADY_SAVED;

/**
 * The number of the batch that this writer saved before, or null if none. Waits for a concurrent attempt of the same
 * writer.
 */
export async function claim(sql: Sql, { writer, number }: SaveId): Promise<Before> {
  const text = `with before as (select batch from access_writers where writer = $1),
    mine as (insert into access_writers as w (writer, batch) values ($1, $2)
      on conflict (writer) do update set batch = excluded.batch, saved_at = now_ms() where w.batch < excluded.batch
      returning 1)
    select (select batch from before) as before from mine`;
  const [row] = await sql.query<{ before: number | null }>({ text, values: [writer, number], prepare: true });
  return row === undefined ? ALREADY_SAVED : row.before;
}

/** Writer id under which a batch is recorded that was saved ahead of its writer's earlier batches. */
function aheadName({ writer, number }: SaveId): string {
  const hex = hash('md5', `ahead ${writer} ${number}`);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The last saved batch of each writer, 0 for none. Locks them in one order until the transaction ends. */
async function lockWriters(sql: Sql, writers: readonly string[]): Promise<Map<string, number>> {
  const text = `insert into access_writers as w (writer, batch)
    select writer, 0 from unnest($1::uuid[]) writer group by writer order by writer
    on conflict (writer) do update set batch = w.batch returning writer, batch`;
  const rows = await sql.query<{ writer: string; batch: number }>({ text, values: [writers], prepare: true });
  return new Map(rows.map(({ writer, batch }) => [writer, batch]));
}

/**
 * Claims the batches that are not saved yet. A process that saves one of them ahead locks the batch's writer, too:
 * either its note is committed before the notes are read here, or it finds the batch saved.
 */
export async function claimQueued(sql: Sql, batches: readonly AccessBatch[]): Promise<readonly AccessBatch[]> {
  const last = await lockWriters(
    sql,
    batches.map(({ writer }) => writer),
  );
  const claimed: AccessBatch[] = [];
  for (const batch of batches) {
    if (batch.number <= (last.get(batch.writer) ?? 0)) continue;
    last.set(batch.writer, batch.number);
    claimed.push(batch);
  }
  if (claimed.length === 0) return [];
  await sql.query({
    text: `update access_writers w set batch = l.batch, saved_at = now_ms()
      from unnest($1::uuid[], $2::bigint[]) as l (writer, batch) where w.writer = l.writer`,
    values: [[...last.keys()], [...last.values()]],
    prepare: true,
  });
  const notes = await readColumn<string>(sql, {
    text: 'select writer from access_writers where writer = any($1::uuid[])',
    values: [claimed.map(aheadName)],
    prepare: true,
  });
  return claimed.filter((batch) => !notes.includes(aheadName(batch)));
}

export async function claimAhead(sql: Sql, batch: AccessBatch): Promise<readonly AccessBatch[]> {
  const last = await lockWriters(sql, [batch.writer]);
  if ((last.get(batch.writer) ?? 0) >= batch.number) return [];
  const noted = await claim(sql, { writer: aheadName(batch), number: batch.number });
  return noted === ALREADY_SAVED ? [] : [batch];
}
