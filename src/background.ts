// Background work of a process: appends to the ledger, saves the access record, and watches the database.
import { systemClock } from '#core/clock.ts';
import type { Events } from '#core/events.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import type { Database } from '#database/database.ts';
import { forRequests } from '#database/for-requests.ts';
import type { AccessQueue } from '#gateway/access-queue/access-queue.ts';
import type { Platform } from '#gateway/execution/context.ts';
import { startSequencer } from '#gateway/ledger/sequencer.ts';
import { startWitnessing, type Witnessing } from '#gateway/ledger/witnessing.ts';
import type { ProcessState } from '#gateway/operations/process-state.ts';
import { type DatabaseState, DatabaseWatch } from '#gateway/restore/database-watch.ts';
import { JournalFollower } from '#gateway/restore/journal-follower.ts';
import type { PlaceGuard } from '#gateway/restore/place-guard.ts';
import { fleetOf } from '#limits/fleet.ts';
import { type AccessRecorder, recordAccess } from '#observability/access-recorder.ts';
import { sumLimits } from '#observability/limit-sums.ts';
import { reportProcess } from '#process/report-process.ts';
import { openAccessWriter } from '#repositories/access-record/writer.ts';
import { saveLimitSums } from '#repositories/keys/limit-sums.ts';
import { readCursorKey } from '#repositories/reference.ts';
import type { Config } from './config.ts';
import { startUpkeep } from './upkeep.ts';

const WATCH_MS = 5_000;
/** Timeout of the ledger's statements. The server cancels them before (append.ts), so one that takes longer is on a server that is gone. */
const LEDGER_PATIENCE_MS = 60_000;

export interface BackgroundParts {
  config: Config;
  /** Without the request timeout, for long work. The platform's database has the timeout. */
  database: Database;
  platform: Pick<Platform, 'database' | 'reads' | 'limiterState'> & { limiterChange: () => ProcessState['limiter'] };
  events: Events;
  guard: PlaceGuard | undefined;
}

export interface Background {
  /** The latest state of the database. */
  databaseState: () => DatabaseState;
  witnessing: Witnessing;
  /** Null where calls are saved directly. */
  queue: AccessQueue | null;
  /** Not closed by `opened`: a stop closes it first, and reports lost calls. */
  recorder: AccessRecorder;
  processState: () => ProcessState;
}

/** Starts all background work. `opened` stops it. */
export async function startBackground(parts: BackgroundParts, opened: AsyncDisposableStack): Promise<Background> {
  const { config, database, platform, events, guard } = parts;
  const { database: requestDatabase, reads, limiterState, limiterChange } = platform;
  const failing = (where: string) => (error: unknown) => events.emit('failure', { requestId: null, where, error });

  const sequencer = startSequencer(forRequests(database, LEDGER_PATIENCE_MS), {
    portalUrl: config.portalUrl ?? null,
    onFailure: failing('ledger'),
  });
  opened.defer(() => sequencer.close());
  const witnessing = startWitnessing(requestDatabase, config.ledgerWitnesses, { onFailure: failing('ledger witness') });
  opened.defer(() => witnessing.close());
  opened.use(startUpkeep(database, config, events));
  // Sums of what limits did, for reports.
  const summer = sumLimits(events, (sums) => saveLimitSums(requestDatabase, sums), failing('limit sums'));
  opened.defer(summer.close);
  const databaseWatch = new DatabaseWatch(platform, systemClock);
  opened.use(startWatch(databaseWatch, { database: requestDatabase, guard }, failing('restore')));
  const queue = await openQueue(config, requestDatabase, failing('access queue'));
  // Calls that the queue saves at the end must still reach the ledger, so the ledger is closed after it.
  opened.defer(() => queue?.close());
  const save = queue?.save ?? openAccessWriter(requestDatabase);
  const recorder = recordAccess(events, save, failing('access record'));
  const processState = (): ProcessState => ({
    startedAt: new Date(performance.timeOrigin).toISOString(),
    limiter: limiterChange(),
    records: { waiting: recorder.waiting(), saved: recorder.counts().saved },
    replicas: reads.states().map(({ name, usable }) => ({ name, usable })),
  });
  const reporting = reportProcess(requestDatabase, processState, limiterState, failing('process state'));
  opened.defer(reporting.close);
  return { databaseState: () => databaseWatch.state, witnessing, queue, recorder, processState };
}

async function openQueue(
  { accessQueueUrl, redisCa }: Config,
  database: Database,
  onFailure: (error: unknown) => void,
): Promise<AccessQueue | null> {
  if (accessQueueUrl === undefined) return null;
  // Imported here because most installations have no queue.
  const { openAccessQueue } = await import('#gateway/access-queue/access-queue.ts');
  const fleet = fleetOf(await readCursorKey(database));
  return openAccessQueue(database, { url: accessQueueUrl, ca: redisCa, fleet, onFailure });
}

/** Watches that the database is still the one served at the start, and that the revocation journal is complete. */
function startWatch(
  databaseWatch: DatabaseWatch,
  { database, guard }: Pick<BackgroundParts, 'database' | 'guard'>,
  onFailure: (error: unknown) => void,
): Disposable {
  const follower = database.journal === null ? null : new JournalFollower(database, database.journal);
  const watch = async () => {
    databaseWatch.check();
    // If it refuses this connection, all others are closed too: a dump may have been restored under them.
    if (guard) await database.connection(guard.admit);
    const followed = await follower?.follow();
    if (followed?.wentBack === true) await guard?.verify();
  };
  // Two concurrent runs would both write the missing entries to the journal.
  const watching = oneAtATime(() => watch().catch(onFailure));
  return setInterval(() => void watching.run(), WATCH_MS).unref();
}
