// Repositories: erased persons: only ids, and facts about the erasure.
import { type Actor, actorText } from '#core/actor.ts';
import type { Sql } from '#database/database.ts';
import { findRow, readColumn } from '#database/rows.ts';

export type ErasedKind = 'client' | 'user' | 'firm';

export interface Erasure {
  id: string;
  kind: ErasedKind;
  erasedAt: string;
  reason: string;
  /** For a client: until then partners may learn of the removals; null if nothing was left for them. */
  grantsEndAt: string | null;
  /** Null while grants remain. */
  finishedAt: string | null;
  /** Signed; null if the erasure was repeated after a restore. */
  certificate: string | null;
}

const COLUMNS = `id, kind, erased_at as "erasedAt", reason, grants_end_at as "grantsEndAt", finished_at as "finishedAt", certificate`;

export async function findErasure(sql: Sql, id: string): Promise<Erasure | null> {
  const text = `select ${COLUMNS} from erased_subjects where id = $1`;
  return findRow<Erasure>(sql, { text, values: [id] });
}

export type NewErasure = Omit<Erasure, 'finishedAt'> & { actor: Actor };

/** Does nothing if it is recorded already. */
export async function recordErasure(sql: Sql, erasure: NewErasure): Promise<void> {
  const { id, kind, erasedAt, actor, reason, grantsEndAt, certificate } = erasure;
  const text = `insert into erased_subjects (id, kind, erased_at, actor, reason, grants_end_at, finished_at, certificate)
    values ($1, $2, $3, $4, $5, $6, case when $6::timestamptz is null then now_ms() end, $7) on conflict do nothing`;
  await sql.query({ text, values: [id, kind, erasedAt, actorText(actor), reason, grantsEndAt, certificate] });
}

/** Calls from before an erasure may be recorded long after it, by a gateway that could not reach the database. */
const HAS_LATE_CALLS = `e.finished_at is not null and exists (
  select from access_pairs p join access_calls r on r.pair = p.number where p.client_id = e.id)`;

/**
 * Ids of clients whose last grants have ended, or with calls recorded since. Locked until the transaction ends; skips
 * those that another transaction has locked.
 */
export function dueErasures(sql: Sql, max: number): Promise<string[]> {
  const text = `select e.id from erased_subjects e
    where e.kind = 'client' and (e.finished_at is null and e.grants_end_at <= now_ms() or ${HAS_LATE_CALLS})
    order by e.erased_at limit $1 for update skip locked`;
  return readColumn(sql, { text, values: [max] });
}

/**
 * Ids of clients who may still be in files of the record's archive: they were never removed from it, or not since calls
 * about them were archived, or not since their erasure in the database, before which an archiving process may have read
 * them.
 */
export function listArchivedErased(sql: Sql): Promise<string[]> {
  const text = `select id from erased_subjects
    where kind = 'client' and (unarchived_at is null or unarchived_at <= finished_at) order by erased_at`;
  return readColumn(sql, { text });
}

/** To be called while no other process can archive. */
export async function noteUnarchived(sql: Sql, id: string): Promise<void> {
  await sql.query({ text: 'update erased_subjects set unarchived_at = clock_timestamp() where id = $1', values: [id] });
}

/**
 * Marks erased clients as archived again if this month of the record, which is now in a file, has late calls about
 * them.
 */
export async function noteArchived(sql: Sql, partition: string): Promise<void> {
  const text = `update erased_subjects e set unarchived_at = null where e.kind = 'client' and e.unarchived_at is not null
    and exists (select from access_pairs p join ${partition} r on r.pair = p.number where p.client_id = e.id)`;
  await sql.query({ text });
}

export async function finishErasure(sql: Sql, id: string): Promise<void> {
  const text =
    'update erased_subjects set finished_at = coalesce(finished_at, now_ms()), unarchived_at = null where id = $1';
  await sql.query({ text, values: [id] });
}
