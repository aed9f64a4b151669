// Repositories: the outbox of mails: takes one to send, and records the outcome.
import { NOTICE_KINDS, type NoticeKind } from '#core/notices.ts';
import type { Sql } from '#database/database.ts';
import { findRow, readRow } from '#database/rows.ts';
import { deleteUnlocked } from '../delete-unlocked.ts';

/** How long a process has a taken notice to itself. Longer than sending may take, and well below a minute. */
export const LEASE_SECONDS = 40;
/** Maximum time between two attempts. */
export const MAX_DELAY_SECONDS = 3_600;
/** A mail that could not be sent within this time is outdated. */
const LAPSE_DAYS = 3;
const RETENTION_DAYS = 30;

export interface Notice {
  id: string;
  kind: NoticeKind;
  /** A user, or for notices about sign-in an account. */
  recipient: string;
  subject: string;
  occurrence: string;
  details: Record<string, unknown>;
  createdAt: string;
  /** Including this one. */
  attempts: number;
}

/** Kinds of a newer release are left to a gateway that knows them. */
const KNOWN_KINDS = Object.keys(NOTICE_KINDS);

export type NoticeOutcome = 'sent' | 'refused' | 'unwanted';

/**
 * Takes a due notice, reserved for this caller for LEASE_SECONDS by the database's clock; null if none is due. If the
 * process dies, another one takes the notice afterwards. A due time further ahead than any delay was written by a clock
 * that has been corrected since, and counts as due.
 */
export function takeNotice(sql: Sql): Promise<Notice | null> {
  const text = `with next as (
      select id from notices where outcome is null and kind = any($1)
        and (due_at <= now_ms() or due_at > now_ms() + interval '${MAX_DELAY_SECONDS} seconds')
      order by due_at, id limit 1 for update skip locked)
    update notices n set due_at = now_ms() + interval '${LEASE_SECONDS} seconds', attempts = attempts + 1
    from next where n.id = next.id
    returning n.id::text as id, kind, recipient, subject, occurrence, details, created_at as "createdAt", attempts`;
  return findRow(sql, { text, values: [KNOWN_KINDS] });
}

/** Does nothing if another process has taken the notice in the meantime. */
export async function endNotice(sql: Sql, { id, attempts }: Notice, outcome: NoticeOutcome): Promise<void> {
  const text = `update notices set outcome = $3, ended_at = now_ms(), details = '{}'
    where id = $1 and attempts = $2 and outcome is null`;
  await sql.query({ text, values: [id, attempts, outcome] });
}

/** Schedules the next attempt in this many seconds. */
export async function delayNotice(sql: Sql, { id, attempts }: Notice, seconds: number): Promise<void> {
  const text = `update notices set due_at = now_ms() + $3 * interval '1 second'
    where id = $1 and attempts = $2 and outcome is null`;
  await sql.query({ text, values: [id, attempts, seconds] });
}

export interface OutboxState {
  waiting: number;
  /** Age of the oldest waiting notice; 0 if there is none. */
  oldestSeconds: number;
  /** Ended in the last 24 hours without being sent. */
  refused: number;
  lapsed: number;
}

export async function outboxState(sql: Sql): Promise<OutboxState> {
  const ended = (outcome: string) =>
    `(select count(*) from notices where outcome = '${outcome}' and ended_at > now_ms() - interval '24 hours')`;
  const text = `select count(*) as waiting,
      coalesce(extract(epoch from now_ms() - min(created_at)), 0)::float8 as "oldestSeconds",
      ${ended('refused')} as refused, ${ended('lapsed')} as lapsed
    from notices where outcome is null`;
  return readRow<OutboxState>(sql, { text });
}

/**
 * Gives up outdated notices, and deletes those that ended long ago. Notices of a grant's first use stay, since they
 * record that it was reported; no other deleted notice can become due again. Skips locked ones, which an erasure may be
 * deleting in another order: it could deadlock with it.
 */
export async function tidyNotices(sql: Sql): Promise<void> {
  await sql.query({
    text: `update notices set outcome = 'lapsed', ended_at = now_ms(), details = '{}'
      where id in (select id from notices
        where outcome is null and created_at < now_ms() - interval '${LAPSE_DAYS} days' for update skip locked)`,
  });
  const ended = `where outcome is not null and ended_at < now_ms() - interval '${RETENTION_DAYS} days'
    and kind <> 'grant_first_used'`;
  await deleteUnlocked(sql, 'notices', ended);
}

/** Deletes the notices that this transaction caused: for synthetic data. */
export async function forgetNoticesOfThis(sql: Sql): Promise<void> {
  await sql.query({ text: 'delete from notices where xmin = pg_current_xact_id()::xid' });
}
