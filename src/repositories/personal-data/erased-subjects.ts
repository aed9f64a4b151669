// Repositories: who was erased: nothing but ids, and what the erasure was.
import { type Actor, actorText } from '#core/actor.ts';
import type { Sql } from '#database/database.ts';

export type ErasedKind = 'client' | 'user' | 'firm';

export interface Erasure {
  id: string;
  kind: ErasedKind;
  erasedAt: string;
  reason: string;
  /** Of a client: until then partners may learn of the removals; null: nothing was left for them. */
  grantsEndAt: string | null;
  /** Null while grants are left. */
  finishedAt: string | null;
  /** Signed; null where the erasure was repeated after a restore. */
  certificate: string | null;
}

const COLUMNS = `id, kind, erased_at as "erasedAt", reason, grants_end_at as "grantsEndAt", finished_at as "finishedAt", certificate`;

export async function findErasure(sql: Sql, id: string): Promise<Erasure | null> {
  const text = `select ${COLUMNS} from erased_subjects where id = $1`;
  const [erasure] = await sql.query<Erasure>({ text, values: [id] });
  return erasure ?? null;
}

export type NewErasure = Omit<Erasure, 'finishedAt'> & { actor: Actor };

/** Unless it is there already. */
export async function recordErasure(sql: Sql, erasure: NewErasure): Promise<void> {
  const { id, kind, erasedAt, actor, reason, grantsEndAt, certificate } = erasure;
  await sql.query({
    text: `insert into erased_subjects (id, kind, erased_at, actor, reason, grants_end_at, finished_at, certificate)
      values ($1, $2, $3, $4, $5, $6, case when $6::timestamptz is null then now_ms() end, $7) on conflict do nothing`,
    values: [id, kind, erasedAt, actorText(actor), reason, grantsEndAt, certificate],
  });
}

/** What was called before an erasure may be recorded after it, by a gateway that could not reach the database however late. */
const CALLED_LATE = `e.finished_at is not null and exists (
  select from access_pairs p join access_calls r on r.pair = p.number where p.client_id = e.id)`;

/**
 * Ids of clients whose last grants have ended, or of whom calls were recorded since, locked until the transaction ends; those that
 * another has are left out.
 */
export async function dueErasures(sql: Sql, most: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>({
    text: `select e.id from erased_subjects e
      where e.kind = 'client' and (e.finished_at is null and e.grants_end_at <= now_ms() or ${CALLED_LATE})
      order by e.erased_at limit $1 for update skip locked`,
    values: [most],
  });
  return rows.map(({ id }) => id);
}

/**
 * Ids of clients whom files of the record's archive may have: they were not taken out, or not since calls about them were
 * archived, or erased in the database, where whoever archives may have read them before.
 */
export async function listArchivedErased(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>({
    text: `select id from erased_subjects
      where kind = 'client' and (unarchived_at is null or unarchived_at <= finished_at) order by erased_at`,
  });
  return rows.map(({ id }) => id);
}

/** To be called while nobody else can archive. */
export async function noteUnarchived(sql: Sql, id: string): Promise<void> {
  await sql.query({ text: 'update erased_subjects set unarchived_at = clock_timestamp() where id = $1', values: [id] });
}

/** Erased clients of whom this month of the record has calls, which came late, are in its file. */
export async function noteArchived(sql: Sql, partition: string): Promise<void> {
  await sql.query({
    text: `update erased_subjects e set unarchived_at = null where e.kind = 'client' and e.unarchived_at is not null
      and exists (select from access_pairs p join ${partition} r on r.pair = p.number where p.client_id = e.id)`,
  });
}

export async function finishErasure(sql: Sql, id: string): Promise<void> {
  await sql.query({
    text: 'update erased_subjects set finished_at = coalesce(finished_at, now_ms()), unarchived_at = null where id = $1',
    values: [id],
  });
}
