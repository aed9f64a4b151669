// Database: what a statement saw, as a value that later statements can be compared with.
import { Refusal } from '#core/errors.ts';
import { TIMELINE } from './session.ts';

/** SQL for when changes may last have passed the log by. */
const RESUMED = 'coalesce((extract(epoch from interrupted_at) * 1000)::bigint, 0)';

/**
 * Which transactions were visible (`pg_snapshot` as text), and the epoch of the database in which that means anything: it ends
 * with a restart, a crash, a promotion, a restore, and with whatever passes the change log's triggers by (Migration0014).
 */
export interface DatabaseSnapshot {
  snapshot: string;
  epoch: string;
}

/** The instant of a statement, and what it says of the whole database then. */
export interface Moment {
  /** Whatever the statement said beside it was so in this snapshot. */
  seen: DatabaseSnapshot;
  /** The database's clock: Unix seconds, with fractions. */
  instant: number;
  /** As LOG_POSITION says it: a replica that has come so far knows everything the snapshot shows. */
  position: string;
}

/**
 * SQL for how far the primary has come, and on which history: log position, clock in Unix seconds, timeline, and when the change log
 * was last resumed, as it is after each promotion. Timelines have the same number where two standbys of a primary were promoted.
 */
export const LOG_POSITION = `(select concat_ws(' ', pg_current_wal_insert_lsn(), extract(epoch from now()), ${TIMELINE},
  ${RESUMED}) from change_log)`;

/**
 * SQL for the history that a standby follows, as the last words of LOG_POSITION have it. Whoever may not see its receiver
 * is told the timeline of the last restart point.
 */
export const REPLAYED_HISTORY = `(select concat_ws(' ', coalesce(
  (select received_tli from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint())), ${RESUMED}) from change_log)`;

/**
 * SQL for the epoch; null while the log is interrupted. While triggers are switched off, nobody logs what they would: each statement has an
 * epoch of its own then, in which nothing that was kept is used.
 */
export const EPOCH = `(database_epoch() || coalesce((select gen_random_uuid()::text from pg_trigger
  where tgenabled in ('D', 'R') and not tgisinternal
    and tgrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace) limit 1), ''))`;

/** SQL for the columns that `momentOf` reads. */
export const MOMENT_COLUMNS = `pg_current_snapshot()::text as snapshot, ${EPOCH} as epoch,
  extract(epoch from now())::float8 as instant, ${LOG_POSITION} as position,
  current_setting('transaction_read_only')::boolean as read_only`;

export interface MomentRow {
  snapshot: string;
  /** Null while the change log is interrupted: nothing can be said of the past then. */
  epoch: string | null;
  instant: number;
  position: string;
  read_only: boolean;
}

/** Throws ChangeLogInterrupted, and Refusal where the database is read-only: what is answered leaves records. */
export function momentOf({ snapshot, epoch, instant, position, read_only: readOnly }: MomentRow): Moment {
  if (readOnly) throw new Refusal('service_unavailable', { cause: new Error('the database is read-only') });
  if (epoch === null) throw new ChangeLogInterrupted();
  return { seen: { snapshot, epoch }, instant, position };
}

/** Changes may have passed the log by since it was last resumed. */
export class ChangeLogInterrupted extends Error {
  constructor() {
    super('the change log is interrupted');
    this.name = 'ChangeLogInterrupted';
  }
}
