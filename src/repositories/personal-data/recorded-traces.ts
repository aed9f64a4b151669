// Repositories: deletes data with entries in the ledger: grants with their steps, and calls. Notes their leaves as
// erased.
import type { Sql } from '#database/database.ts';
import { readValue } from '#database/rows.ts';
import { NUMBER_BYTES } from '../ledger/ledger.ts';
import { batchSql, placeSql } from '../ledger/pending.ts';
import { GRANT_ACTIVE } from '../status-sql.ts';
import type { ErasablePerson } from './client-traces.ts';

/** Packs leaves as `readErased` expects them: the low six of eight bytes. */
const NOTE_LEAVES = `insert into ledger_erasures (leaves)
  select string_agg(substring(int8send(leaf) from ${8 - NUMBER_BYTES + 1}), ''::bytea order by leaf) from leaves having count(*) > 0`;

/** SQL for the leaves of calls by the `entry` of these rows; calls from before the ledger have none. */
const leavesOf = (rows: string) => `select b.first + ${placeSql('entry')} as leaf
  from ${rows} join ledger_batches b on b.number = ${batchSql('entry')} where entry > 0`;

/**
 * Locks the grants to delete: all except active ones until `keptUntil`, and requests that named the person but reached
 * nobody.
 */
export async function lockGrants(
  sql: Sql,
  { id, addresses }: ErasablePerson,
  keptUntil: string | null,
): Promise<{ gone: string[]; kept: string[] }> {
  const rows = await sql.query<{ id: string; kept: boolean }>({
    text: `select g.id, g.client_id is not null and $3::timestamptz is not null and ${GRANT_ACTIVE} as kept from grants g
      where g.client_id = $1 or g.client_id is null and lower(g.addressee) = any($2) order by g.id for update`,
    values: [id, [id.toLowerCase(), ...addresses], keptUntil],
  });
  const ids = (kept: boolean) => rows.flatMap((row) => (row.kept === kept ? [row.id] : []));
  return { gone: ids(false), kept: ids(true) };
}

/** Deletes the steps of these grants, all of which are in the ledger. */
export async function eraseSteps(sql: Sql, grantIds: readonly string[]): Promise<void> {
  const text = `with gone as (delete from grant_events where grant_id = any($1) returning id),
    leaves as (select s.leaf from gone join ledger_steps s on s.source = 'grant_events' and s.event = gone.id)
    ${NOTE_LEAVES}`;
  await sql.query({ text, values: [grantIds] });
}

/**
 * Notes that the calls with these entries (access_calls.entry) were erased. Calls from before the ledger are left out.
 */
export async function noteErasedCalls(sql: Sql, entries: readonly number[]): Promise<void> {
  const text = `with leaves as (${leavesOf('unnest($1::bigint[]) entry')})
    ${NOTE_LEAVES}`;
  await sql.query({ text, values: [entries] });
}

/**
 * Deletes calls about the client that are in the ledger or from before it. Returns whether others remain, which wait to
 * be appended.
 */
export async function eraseCalls(sql: Sql, clientId: string): Promise<boolean> {
  await sql.query({
    text: `with gone as (
        delete from access_calls r using access_pairs p
        where p.client_id = $1 and r.pair = p.number
          and (r.entry = 0 or exists (select from ledger_batches b where b.number = ${batchSql('r.entry')}))
        returning r.entry),
      leaves as (${leavesOf('gone')})
      ${NOTE_LEAVES}`,
    values: [clientId],
  });
  return readValue<boolean>(sql, {
    text: `select exists (select from access_pairs p join access_calls r on r.pair = p.number where p.client_id = $1) as left`,
    values: [clientId],
  });
}

/** Deletes the copies of calls in other tables: the previous release's, and the firms' view of refused calls. */
export async function eraseOtherCalls(sql: Sql, clientId: string): Promise<void> {
  await sql.query({ text: 'delete from access_records where client_id = $1', values: [clientId] });
  await sql.query({ text: 'delete from firm_refusals where client_id = $1', values: [clientId] });
}

/** Without these secrets, the entries in the log reveal nothing. */
export async function destroySecrets(sql: Sql, subjects: readonly string[]): Promise<void> {
  await sql.query({ text: 'delete from ledger_subjects where subject = any($1)', values: [subjects] });
}

/** Their steps must have been deleted before. */
export async function deleteGrants(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query({ text: 'delete from notices where subject = any($1)', values: [ids] });
  await sql.query({ text: 'delete from grants where id = any($1)', values: [ids] });
}

/** Ends these grants at this time at the latest, and deletes their purpose. */
export async function endGrantsAt(sql: Sql, ids: readonly string[], at: string): Promise<void> {
  const text = `with ended as (
      update grants set purpose = null, addressee = null, expires_at = least(expires_at, $2::timestamptz) where id = any($1)
      returning id, expires_at)
    insert into grant_events (grant_id, actor, action, details)
    select id, 'system:erasure', 'change', jsonb_build_object('expires_at', $3::text) from ended where expires_at = $2::timestamptz`;
  await sql.query({ text, values: [ids, at, at] });
}

/** Deletes the remaining rows of a client after everything else. */
export async function deleteClient(sql: Sql, clientId: string): Promise<void> {
  await sql.query({ text: 'delete from deleted_items where client_id = $1', values: [clientId] });
  await sql.query({ text: 'delete from users where id = $1', values: [clientId] });
}
