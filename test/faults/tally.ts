// Outcomes of the requests sent during a fault: counted for the table of `npm run chaos`, and checked.

import { expect, TestRunner } from 'vitest';
import { until } from '#test/support/ports.ts';
import type { Load, Sent } from './load.ts';
import { lastingPart, type Portfolio } from './portfolio.ts';

/** The part of a portfolio that is used here. */
type Recorded = Pick<Portfolio, 'records'>;

/** A row of the table. */
export interface Tally {
  fault: string;
  sent: number;
  served: number;
  /** 503 with its code and Retry-After. */
  refused: number;
  /** The connection ended without a response: the gateway was killed, or what is in front of it. */
  unanswered: number;
  /** Other data than before, another status (even 429: the load is within its limit), or an incomplete refusal. */
  wrong: number;
  /** The longest time in which nothing was served, in seconds. */
  outage: number;
  /** Admitted requests with a response that the access record lacks. */
  missing: number;
}

declare module 'vitest' {
  interface TaskMeta {
    chaos?: Tally[];
  }
}

interface Expected {
  /** Whether connections may end without a response. */
  unanswered?: boolean;
  /** Which records may be missing, such as later ones after a restore to an earlier time. */
  missing?: (one: Sent) => boolean;
}

/** Adds the row to the table, and expects that no response was wrong and no record is missing. */
export async function expectTally(
  fault: string,
  sent: readonly Sent[],
  portfolio: Recorded,
  { unanswered = false, missing: mayMiss = () => false }: Expected = {},
): Promise<Tally> {
  const bodies = new Map<string, string>();
  const outcomes = sent.map((one) => outcomeOf(one, bodies));
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  const lacking = await recordsMissing(sent, portfolio, mayMiss);
  const tally: Tally = {
    fault,
    sent: sent.length,
    served: count('served'),
    refused: count('refused'),
    unanswered: count('unanswered'),
    wrong: outcomes.filter((outcome) => outcome.startsWith('wrong')).length,
    outage: longestOutage(sent),
    missing: lacking.length,
  };
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.chaos = [...(test.meta.chaos ?? []), tally];
  expect(outcomes.filter((outcome) => outcome.startsWith('wrong'))).toEqual([]);
  expect(lacking.filter((one) => !mayMiss(one)).map(({ headers }) => headers['x-request-id'])).toEqual([]);
  if (!unanswered) expect(tally.unanswered).toBe(0);
  expect(tally.served).toBeGreaterThan(0);
  return tally;
}

/**
 * Waits until all requests that have ended by now are recorded, so that a backup that begins afterwards contains them.
 * Returns `performance.now()` from before the wait.
 */
export async function recordedUntil({ sent }: Load, portfolio: Recorded): Promise<number> {
  const now = performance.now();
  expect(await recordsMissing([...sent], portfolio, () => false)).toEqual([]);
  return now;
}

function outcomeOf({ url, status, headers, text, error }: Sent, bodies: Map<string, string>): string {
  if (error !== null || status === 0) return 'unanswered';
  if (status === 200) {
    const stable = lastingPart(text);
    const known = bodies.get(url) ?? stable;
    bodies.set(url, known);
    return known === stable ? 'served' : `wrong: ${url} returned other data than before`;
  }
  const code = (JSON.parse(text) as { error?: { code?: string } }).error?.code;
  const complete = /^\d+$/.test(String(headers['retry-after'])) && /^req_/.test(String(headers['x-request-id']));
  const proper = status === 503 && code === 'service_unavailable';
  return complete && proper ? 'refused' : `wrong: ${status} ${text}`;
}

function longestOutage(sent: readonly Sent[]): number {
  const ends = sent.filter(({ status }) => status === 200).map(({ ended }) => ended);
  ends.sort((one, other) => one - other);
  const gaps = ends.slice(1).map((end, at) => end - (ends[at] ?? end));
  return Math.max(0, ...gaps) / 1000;
}

/** Every request that was counted against the key was admitted, and must have a record with its status. */
async function recordsMissing(
  sent: readonly Sent[],
  portfolio: Recorded,
  mayMiss: (one: Sent) => boolean,
): Promise<Sent[]> {
  const admitted = sent.filter(({ headers }) => String(headers['ratelimit-policy']).startsWith('"key"'));
  let lacking: Sent[] = [];
  const allRecorded = async () => {
    const records = await portfolio.records();
    lacking = admitted.filter(({ headers, status }) => records.get(String(headers['x-request-id'])) !== status);
    return lacking.every(mayMiss);
  };
  // The caller reports which are missing.
  await until(allRecorded, 60_000, () => new Error()).catch(() => {});
  return lacking;
}
