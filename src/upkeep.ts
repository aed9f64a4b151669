// Periodic work on the served database, every ten minutes: deletes what is past its retention, records expiry, and
// creates and archives months of the record.
import type { Events } from '#core/events.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import type { Database, Sql } from '#database/database.ts';
import { finishErasures } from '#gateway/personal-data/erase.ts';
import { applyRetention } from '#repositories/access-record/retention.ts';
import { forgetExpired } from '#repositories/accounts/sessions.ts';
import { forgetProcesses } from '#repositories/gateway-processes.ts';
import { markExpired } from '#repositories/grants/grants.ts';
import { forgetLimitSums } from '#repositories/keys/limit-sums.ts';
import { foldTotals, forgetChanges, REMOVALS_KEPT_DAYS, rescoreExpired } from '#repositories/maintenance.ts';
import { tidyNotices } from '#repositories/notices/outbox.ts';
import { forgetRevocations } from '#repositories/revocations.ts';
import type { Config } from './config.ts';

const UPKEEP_MS = 600_000;

export function startUpkeep(database: Database, config: Config, events: Events): AsyncDisposable {
  /** One that returns true has done a part, and is called again. */
  const chores: ((sql: Sql) => Promise<unknown>)[] = [
    (sql) => forgetChanges(sql, REMOVALS_KEPT_DAYS),
    forgetExpired,
    foldTotals,
    rescoreExpired,
    forgetRevocations,
    tidyNotices,
    forgetLimitSums,
    forgetProcesses,
    markExpired,
    (sql) => finishErasures(sql, config.portalUrl ?? null),
  ];
  const stopping = new AbortController();
  const fail = (error: unknown) => {
    if (!stopping.signal.aborted) events.emit('failure', { requestId: null, where: 'upkeep', error });
  };
  // Writing a month to the archive takes minutes, so that the next turn may begin meanwhile.
  const keepRecord = oneAtATime(async () => {
    // A failure to archive a month does not keep erasures from the existing files.
    await applyRetention(database, config, stopping.signal).catch(fail);
    if (config.recordArchive === undefined) return;
    // Imported here because many installations have no archive.
    const { eraseArchived } = await import('#repositories/record-archive/client-removal.ts');
    if (!stopping.signal.aborted)
      await eraseArchived({ database, directory: config.recordArchive, signal: stopping.signal });
  });
  // One after the other: each may take long, and holds a connection that requests need.
  const doChores = oneAtATime(async () => {
    for (const chore of chores)
      for (let more: unknown = true; more === true && !stopping.signal.aborted; )
        more = await database.transaction(chore, { noTimeout: true }).catch(fail);
  });
  const timer = setInterval(() => {
    void keepRecord.run().catch(fail);
    void doChores.run();
  }, UPKEEP_MS).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stopping.abort();
      await keepRecord.idle().catch(() => {});
    },
  };
}
