// Database: what a statement saw, as a value to compare later statements with.
import { Refusal } from '#core/errors.ts';
import { TIMELINE } from './session.ts';

/** SQL for the last time at which changes may have bypassed the change log. */
const RESUMED = 'coalesce((extract(epoch from interrupted_at) * 1000)::bigint, 0)';

/**
 * The visible transactions (`pg_snapshot` as text), and the epoch of the database in which that is meaningful. An epoch
 * ends with a restart, a crash, a promotion, a restore, and with every change that bypasses the change log's triggers
 * (Migration0014).
 */
export interface DatabaseSnapshot {
  snapshot: string;
  epoch: string;
}

/** The instant of a statement, and the state of the whole database at that instant. */
export interface Moment {
  /** The snapshot in which everything else that the statement returned was true. */
  snapshot: DatabaseSnapshot;
  /** The database's clock: Unix seconds, with fractions. */
  instant: number;
  /** The LOG_POSITION. A replica that has reached it knows everything that the snapshot shows. */
  position: string;
}

/**
 * SQL for the primary's position and history: log position, clock in Unix seconds, timeline, and when the change log
 * was last resumed, as it is after each promotion. The last part is needed because two promoted standbys of one primary
 * have the same timeline number.
 */
export const LOG_POSITION = `(select concat_ws(' ', pg_current_wal_insert_lsn(), extract(epoch from now()), ${TIMELINE},
  ${RESUMED}) from change_log)`;

/**
 * SQL for the history that a standby follows, equal to the last parts of LOG_POSITION. Without permission to see the
 * WAL receiver it gives the timeline of the last restart point.
 */
export const REPLAYED_HISTORY = `(select concat_ws(' ', coalesce(
  (select received_tli from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint())), ${RESUMED}) from change_log)`;

/**
 * SQL for the epoch; null while the log is interrupted. While triggers are disabled, changes are not logged: each
 * statement then gets an epoch of its own, in which no cached value is used.
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
  /** Null while the change log is interrupted, when nothing is known of earlier changes. */
  epoch: string | null;
  instant: number;
  position: string;
  read_only: boolean;
}

/** Throws ChangeLogInterrupted, and Refusal where the database is read-only, because answers leave records. */
export function momentOf({ snapshot, epoch, instant, position, read_only: readOnly }: MomentRow): Moment {
  if (readOnly) throw new Refusal('service_unavailable', { cause: new Error('the database is read-only') });
  if (epoch === null) throw new ChangeLogInterrupted();
  return { snapshot: { snapshot, epoch }, instant, position };
}

/** Changes may have bypassed the log since it was last resumed. */
export class ChangeLogInterrupted extends Error {
  constructor() {
    super('the change log is interrupted');
    this.name = 'ChangeLogInterrupted';
  }
}
