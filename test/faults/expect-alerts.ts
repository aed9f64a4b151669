// Which alerts a fault fires if it lasts: those that are declared for it, and no others, by the metrics of a gateway under load.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, TestRunner } from 'vitest';
import { alertsAfter, type Scrape, watch } from '#test/support/alerting.ts';
import { until } from '#test/support/ports.ts';
import { startLoad } from './load.ts';
import type { Portfolio } from './portfolio.ts';
import type { ServeProcess } from './serve-process.ts';

const ABREAST = 16;
/** Within the limit of a key, however fast the machine is. */
const PAUSE_MS = 100;
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
  /** How long to look, where it comes and goes more slowly than twice in three seconds. */
  lookMs?: number;
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
  const load = startLoad(portfolio.wanted(serve.url), ABREAST, { pauseMs: PAUSE_MS });
  const look = (): Promise<Scrape[]> => {
    const [from, answered] = [performance.now(), load.sent.length];
    return watch(
      serve.internalUrl,
      () => performance.now() > from + lookMs && load.sent.length >= answered + 2 * ABREAST,
    );
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
    const lasting = await look();
    over.abort();
    await begun;
    await end();
    await ready();
    const firing = async () => {
      healthy = await look();
      return alertsAfter([healthy]);
    };
    await expect.poll(firing).toEqual([[]]);
    // As it is afterwards, it was before.
    expect(alertsAfter([healthy, lasting, healthy])).toEqual([[], [...alerts].sort(), []]);
    expect(documented(fault), `what docs/operations.md says of "${fault}"`).toEqual([...alerts].sort());
  } finally {
    await load.stop();
  }
}

/** The alerts in the row of this fault; null where it has none. */
function documented(fault: string): string[] | null {
  const rows = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8').split('\n');
  const row = rows.find((line) => line.startsWith(`| ${fault} |`));
  const cell = row?.split('|').at(-2);
  return cell === undefined ? null : [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort();
}
