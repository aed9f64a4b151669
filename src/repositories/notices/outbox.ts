// Repositories: the outbox of mails: taking one to send, and what became of it.
import { NOTICE_KINDS, type NoticeKind } from '#core/notices.ts';
import type { Sql } from '#database/database.ts';

/** How long whoever took a notice has it to themselves. Longer than sending may take, and well below a minute. */
export const LEASE_SECONDS = 40;
/** The longest between two attempts. */
export const MAX_DELAY_SECONDS = 3_600;
/** What could not be sent within this time is old news. */
const LAPSE_DAYS = 3;
const KEPT_DAYS = 30;

export interface Notice {
  id: string;
  kind: NoticeKind;
  /** A user or, of what concerns signing in, an account. */
  recipient: string;
  subject: string;
  occurrence: string;
  details: Record<string, unknown>;
  createdAt: string;
  /** This one included. */
  attempts: number;
}

/** Those of a newer release wait for a gateway that knows them. */
const KNOWN = Object.keys(NOTICE_KINDS);

export type NoticeOutcome = 'sent' | 'refused' | 'unwanted';

/**
 * One that is due, which nobody else is given for LEASE_SECONDS by the database's clock; null where none is. Where whoever
 * took it dies, another takes it then. One that is due later than any attempt is put off was written by a clock that has been put right
 * since, and is due now.
 */
export async function takeNotice(sql: Sql): Promise<Notice | null> {
  const [notice] = await sql.query<Notice>({
    text: `with next as (
        select id from notices where outcome is null and kind = any($1)
          and (due_at <= now_ms() or due_at > now_ms() + interval '${MAX_DELAY_SECONDS} seconds')
        order by due_at, id limit 1 for update skip locked)
      update notices n set due_at = now_ms() + interval '${LEASE_SECONDS} seconds', attempts = attempts + 1
      from next where n.id = next.id
      returning n.id::text as id, kind, recipient, subject, occurrence, details, created_at as "createdAt", attempts`,
    values: [KNOWN],
  });
  return notice ?? null;
}

/** Nothing changes where somebody else has taken it meanwhile. */
export async function endNotice(sql: Sql, { id, attempts }: Notice, outcome: NoticeOutcome): Promise<void> {
  await sql.query({
    text: `update notices set outcome = $3, ended_at = now_ms(), details = '{}'
      where id = $1 and attempts = $2 and outcome is null`,
    values: [id, attempts, outcome],
  });
}

/** Tried again so many seconds from now. */
export async function delayNotice(sql: Sql, { id, attempts }: Notice, seconds: number): Promise<void> {
  await sql.query({
    text: `update notices set due_at = now_ms() + $3 * interval '1 second'
      where id = $1 and attempts = $2 and outcome is null`,
    values: [id, attempts, seconds],
  });
}

export interface OutboxState {
  waiting: number;
  /** Age of the oldest that waits; 0 where none does. */
  oldestSeconds: number;
  /** Ended in the last 24 hours without having been sent. */
  refused: number;
  lapsed: number;
}

export async function outboxState(sql: Sql): Promise<OutboxState> {
  const ended = (outcome: string) =>
    `(select count(*) from notices where outcome = '${outcome}' and ended_at > now_ms() - interval '24 hours')`;
  const [state] = await sql.query<OutboxState>({
    text: `select count(*) as waiting,
        coalesce(extract(epoch from now_ms() - min(created_at)), 0)::float8 as "oldestSeconds",
        ${ended('refused')} as refused, ${ended('lapsed')} as lapsed
      from notices where outcome is null`,
  });
  return state as OutboxState;
}

/**
 * Gives up what is too old, and deletes what ended long ago. What a grant's first use was told by stays: it says that it was.
 * Nothing else that was deleted can be found due again.
 */
export async function tidyNotices(sql: Sql): Promise<void> {
  await sql.query({
    text: `update notices set outcome = 'lapsed', ended_at = now_ms(), details = '{}'
      where outcome is null and created_at < now_ms() - interval '${LAPSE_DAYS} days'`,
  });
  await sql.query({
    text: `delete from notices where outcome is not null and ended_at < now_ms() - interval '${KEPT_DAYS} days'
      and kind <> 'grant_first_used'`,
  });
}

/** Nobody is told of what this transaction did: for data that are made up. */
export async function forgetNoticesOfThis(sql: Sql): Promise<void> {
  await sql.query({ text: 'delete from notices where xmin = pg_current_xact_id()::xid' });
}
