// Compares the alerts that a lasting fault fires, by the metrics of a gateway under load, with those declared for it.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, TestRunner } from 'vitest';
import { alertsAfter, type Scrape, samplesBehind, watch } from '#test/support/alerting.ts';
import { until } from '#test/support/ports.ts';
import { startLoad, wellWithinLimit } from './load.ts';
import type { Portfolio } from './portfolio.ts';
import type { ServeProcess } from './serve-process.ts';

const CONCURRENCY = 16;
/** Time in which a gateway notices a fault: it checks its database every five seconds, with a timeout of five. */
const SETTLE_MS = 12_000;
const WATCH_MS = 3_000;
const TIMEOUT_MS = 180_000;

declare module 'vitest' {
  interface TaskMeta {
    alerts?: Record<string, readonly string[]>;
  }
}

export interface LastingFault {
  /** Begins the fault; a fault that recurs does so until `signal` is aborted. */
  begin(signal: AbortSignal): unknown;
  end(): unknown;
  /** How long to watch a fault that recurs less than twice in three seconds. */
  lookMs?: number | undefined;
}

/** Expects that the fault, a row of docs/faults.md, fires exactly these alerts, and none once it is over. */
export async function expectAlerts(
  fault: string,
  alerts: readonly string[],
  { serve, portfolio }: { serve: ServeProcess; portfolio: Portfolio },
  { begin, end, lookMs = WATCH_MS }: LastingFault,
): Promise<void> {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.alerts = { ...test.meta.alerts, [fault]: [...alerts].sort() };
  const load = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { pauseMs: wellWithinLimit(CONCURRENCY) });
  const look = (ms = WATCH_MS): Promise<Scrape[]> => {
    const [from, before] = [performance.now(), load.sent.length];
    return watch(
      serve.internalUrl,
      () => performance.now() > from + ms && load.sent.length >= before + 2 * CONCURRENCY,
    );
  };
  const ready = () =>
    until(
      async () => (await serve.readiness()).body.status === 'ready',
      TIMEOUT_MS,
      () => new Error(`the gateway is not ready:\n${serve.output}`),
    );
  try {
    // Under load when the fault begins, so that it affects requests and pending records.
    let healthy = await look();
    const over = new AbortController();
    const begun = Promise.resolve(begin(over.signal));
    await sleep(SETTLE_MS);
    const lasting = await look(lookMs);
    over.abort();
    await begun;
    await end();
    await ready();
    let still: string[] = [];
    const isOver = async () => {
      healthy = await look();
      still = alertsAfter([healthy]).flat();
      return still.length === 0;
    };
    await until(
      isOver,
      TIMEOUT_MS,
      () => new Error(`alerts still fire after the fault:\n${samplesBehind(still, [healthy])}`),
    );
    // The phase before the fault has the same metrics as the one after it.
    const phases = [healthy, lasting, healthy];
    const [fired, expected] = [alertsAfter(phases), [[], [...alerts].sort(), []]];
    const unexpected = fired.flatMap((names, phase) => difference(names, expected[phase] ?? []));
    expect(fired, samplesBehind(unexpected, phases)).toEqual(expected);
    expect(documented(fault), `what docs/faults.md says of "${fault}"`).toEqual([...alerts].sort());
  } finally {
    await load.stop();
  }
}

function difference(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set(one).symmetricDifference(new Set(other))];
}

/** The alerts in the fault's row; null if there is no row. */
function documented(fault: string): string[] | null {
  const rows = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8').split('\n');
  const row = rows.find((line) => line.startsWith(`| ${fault} |`));
  const cell = row?.split('|').at(-2);
  return cell === undefined ? null : [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort();
}
