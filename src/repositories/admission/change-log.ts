// Repositories: the change log (Migration0014): whether cached keys, firms, clients and portfolios are still valid.
import { type BatchedStatement, batchedStatement, readBatched } from '#database/batched-statement.ts';
import type { Sql } from '#database/database.ts';
import { findValue, readValue } from '#database/rows.ts';
import {
  ChangeLogInterrupted,
  type DatabaseSnapshot,
  EPOCH,
  MOMENT_COLUMNS,
  type Moment,
  momentOf,
} from '#database/snapshot.ts';

/**
 * Snapshots at which a key's admission to a client and the client's portfolio were cached; null for those not asked
 * about.
 */
export interface ChangeQuestion {
  keyId: string;
  firmId: string;
  clientId: string;
  admission: DatabaseSnapshot | null;
  portfolio: DatabaseSnapshot | null;
  /** Whether to return the sync horizon. The statements about changes then also apply to the horizon. */
  horizon: boolean;
}

export interface ChangeAnswer {
  moment: Moment;
  /** RFC 3339; null if not requested. */
  horizon: string | null;
  /** Whether the key, its firm, the client, the client's grants and the shadow modes of limits are all unchanged. */
  admissionUnchanged: boolean;
  /** Whether the client's portfolio and the reference rows are unchanged. */
  portfolioUnchanged: boolean;
}

const CHANGES: BatchedStatement = batchedStatement(
  'changes',
  { client_id: 'text', key_id: 'text', firm_id: 'text', admission: 'pg_snapshot', portfolio: 'pg_snapshot' },
  (asked) => `
with asked as (${asked}),
-- The moment reads from it, so the log position is read after the horizon: a replica at that position has every change before the horizon.
horizon as materialized (select case when $6::boolean then sync_horizon() end as horizon),
moment as materialized (select ${MOMENT_COLUMNS}, horizon from horizon)
select a.n, moment.*,
  not changed_since(array[a.key_id, a.firm_id, a.client_id, 'limits'], a.admission, moment.horizon) as admission_unchanged,
  not changed_since(array['portfolio:' || a.client_id, 'reference'], a.portfolio, moment.horizon) as portfolio_unchanged
from moment cross join asked a`,
);

/** Answers in the order of the questions, all as of one moment. */
export async function readChanges(sql: Sql, questions: readonly ChangeQuestion[]): Promise<ChangeAnswer[]> {
  const answers = await whileLogged(sql, () =>
    readBatched(
      sql,
      CHANGES,
      questions,
      ({ clientId, keyId, firmId, admission, portfolio }) => [
        ...[clientId, keyId, firmId],
        ...[admission?.snapshot ?? null, portfolio?.snapshot ?? null],
      ],
      (row, { admission, portfolio, horizon }): ChangeAnswer => {
        const moment = momentOf(row as never);
        return {
          moment,
          horizon: horizon ? row.horizon : null,
          admissionUnchanged: row.admission_unchanged === true && admission?.epoch === moment.snapshot.epoch,
          portfolioUnchanged: row.portfolio_unchanged === true && portfolio?.epoch === moment.snapshot.epoch,
        };
      },
      [questions.some(({ horizon }) => horizon)],
    ),
  );
  return answers as ChangeAnswer[];
}

/**
 * Instant (RFC 3339) such that every change committed later has a later `updated_at`. Data that must be current as of
 * the horizon has to be read afterwards, in another statement.
 */
export function readHorizon(sql: Sql): Promise<string> {
  return readValue(sql, { text: 'select sync_horizon() as horizon', prepare: true });
}

/**
 * Whether the log no longer covers all changes since the snapshot: rows were deleted, or the snapshot is of another
 * epoch.
 */
export async function isForgotten(sql: Sql, { snapshot, epoch }: DatabaseSnapshot): Promise<boolean> {
  const text = `select pg_snapshot_xmin($1) > forgotten and ${EPOCH} = $2 as known from change_log`;
  return (await findValue(sql, { text, values: [snapshot, epoch], prepare: true })) !== true;
}

/** Resumes the log and reads again if `read` finds it interrupted. Fails if triggers are missing (Migration0052). */
export async function whileLogged<Found>(sql: Sql, read: () => Promise<Found>): Promise<Found> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ChangeLogInterrupted)) throw error;
    await sql.query({ text: 'select resume_change_log()' });
    return read();
  }
}

/** Fails if changes bypass the log and it cannot be resumed, as when triggers are missing. */
export async function requireLogged(sql: Sql): Promise<void> {
  await whileLogged(sql, async () => {
    const text = 'select database_epoch() is not null as logged';
    if (!(await readValue<boolean>(sql, { text, prepare: true }))) throw new ChangeLogInterrupted();
  });
}

/**
 * SQL for the time at which the view of a grant `g` to a client `u` last changed as a whole: by its terms, the client's
 * first items, or an interruption of the log.
 */
export const VIEW_CHANGED_AT = 'greatest(g.view_changed_at, u.populated_at, (select interrupted_at from change_log))';
