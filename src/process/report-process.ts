// Process: saves the state of this process in the database every few seconds, for views of all processes.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { oneAtATime } from '#core/one-at-a-time.ts';
import type { Sql } from '#database/database.ts';
import type { ProcessState } from '#gateway/operations/process-state.ts';
import { forgetProcess, REPORT_INTERVAL_MS, saveProcess } from '#repositories/gateway-processes.ts';

/** `close` removes the process from the database. */
export function reportProcess(
  sql: Sql,
  state: () => ProcessState,
  limiter: () => string,
  onFailure: (error: unknown) => void,
): { close(): Promise<void> } {
  const id = randomUUID();
  const host = `${hostname()} ${process.pid}`;
  const report = async () => {
    const { limiter: of, records, replicas } = state();
    const secondsSince = (at: string) => Math.max(0, (Date.now() - Date.parse(at)) / 1_000);
    await saveProcess(sql, {
      ...{ id, host, limiter: limiter(), limiterReason: of.reason },
      startedSecondsAgo: performance.now() / 1_000,
      limiterSinceSecondsAgo: secondsSince(of.since),
      recordsWaiting: records.waiting,
      replicasAway: replicas.filter(({ usable }) => !usable).length,
    });
  };
  const reporting = oneAtATime(() => report().catch(onFailure));
  const tick = () => void reporting.run();
  const first = setTimeout(tick, FIRST_MS).unref();
  const timer = setInterval(tick, REPORT_INTERVAL_MS).unref();
  return {
    async close() {
      clearTimeout(first);
      clearInterval(timer);
      await reporting.idle();
      await forgetProcess(sql, id).catch(onFailure);
    },
  };
}

/** The first save is delayed, because a starting process is busy. */
const FIRST_MS = 1_000;
