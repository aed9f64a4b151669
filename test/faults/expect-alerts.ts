// Which alerts a fault fires if it lasts: those that are declared for it, and no others, by the metrics of a gateway under load.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, TestRunner } from 'vitest';
import { alertsAfter, type Scrape, samplesBehind, watch } from '#test/support/alerting.ts';
import { until } from '#test/support/ports.ts';
import { startLoad, withinLimit } from './load.ts';
import type { Portfolio } from './portfolio.ts';
import type { ServeProcess } from './serve-process.ts';

const ABREAST = 16;
/** Until a gateway has noticed what it will: it looks at its database every five seconds, and waits as long for an answer. */
const SETTLE_MS = 12_000;
const LOOK_MS = 3_000;
const PATIENCE_MS = 180_000;

declare module 'vitest' {
  interface TaskMeta {
    alerts?: Record<string, readonly string[]>;
  }
}

export interface LastingFault {
  /** Begins it. Where it is one that comes and goes, it does so until `signal` says otherwise. */
  begin(signal: AbortSignal): unknown;
  end(): unknown;
  /** How long to look while it lasts, where it comes and goes more slowly than twice in three seconds. */
  lookMs?: number | undefined;
}

/** Expects that the fault of this name in docs/operations.md fires exactly these alerts if it lasts, and none once it is over. */
export async function expectAlerts(
  fault: string,
  alerts: readonly string[],
  { serve, portfolio }: { serve: ServeProcess; portfolio: Portfolio },
  { begin, end, lookMs = LOOK_MS }: LastingFault,
): Promise<void> {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.alerts = { ...test.meta.alerts, [fault]: [...alerts].sort() };
  const load = startLoad(portfolio.wanted(serve.url), ABREAST, { pauseMs: withinLimit(ABREAST) });
  const look = (ms = LOOK_MS): Promise<Scrape[]> => {
    const [from, answered] = [performance.now(), load.sent.length];
    return watch(serve.internalUrl, () => performance.now() > from + ms && load.sent.length >= answered + 2 * ABREAST);
  };
  const ready = () =>
    until(
      async () => (await serve.readiness()).body.status === 'ready',
      PATIENCE_MS,
      () => new Error(`it is not ready:\n${serve.said}`),
    );
  try {
    // So that the fault meets requests, and records that wait.
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
      PATIENCE_MS,
      () => new Error(`still fires once it is over:\n${samplesBehind(still, [healthy])}`),
    );
    // As it is afterwards, it was before.
    const phases = [healthy, lasting, healthy];
    const [fired, expected] = [alertsAfter(phases), [[], [...alerts].sort(), []]];
    const surprising = fired.flatMap((names, phase) => difference(names, expected[phase] ?? []));
    expect(fired, samplesBehind(surprising, phases)).toEqual(expected);
    expect(documented(fault), `what docs/operations.md says of "${fault}"`).toEqual([...alerts].sort());
  } finally {
    await load.stop();
  }
}

function difference(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set(one).symmetricDifference(new Set(other))];
}

/** The alerts in the row of this fault; null where it has none. */
function documented(fault: string): string[] | null {
  const rows = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8').split('\n');
  const row = rows.find((line) => line.startsWith(`| ${fault} |`));
  const cell = row?.split('|').at(-2);
  return cell === undefined ? null : [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort();
}
