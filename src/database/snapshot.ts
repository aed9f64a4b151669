// Database: what a statement saw, as a value that later statements can be compared with.

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
  /** Write-ahead log position: a replica that has replayed it knows everything the snapshot shows. */
  position: string;
}

/** SQL for the columns that `momentOf` reads. */
export const MOMENT_COLUMNS = `pg_current_snapshot()::text as snapshot, database_epoch() as epoch,
  extract(epoch from now())::float8 as instant, pg_current_wal_insert_lsn()::text as position`;

export interface MomentRow {
  snapshot: string;
  /** Null while the change log is interrupted: nothing can be said of the past then. */
  epoch: string | null;
  instant: number;
  position: string;
}

export function momentOf({ snapshot, epoch, instant, position }: MomentRow): Moment {
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
