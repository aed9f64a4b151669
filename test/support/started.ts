// Test support: processes of our own that a test starts: ready in the end, or ended.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { until } from '#test/support/ports.ts';

/** For busy machines: a start takes a second or two. */
export const START_MS = 120_000;

/** Waits until the process is `ready`. One that ends before, or takes longer, is killed: it throws with what was said. */
export async function untilStarted(
  child: ChildProcess,
  ready: () => Promise<boolean>,
  said: () => string,
  patienceMs = START_MS,
): Promise<void> {
  const failure = () => new Error(`it did not start:\n${said()}`);
  const readyOrGone = async () => {
    if (!isRunning(child)) throw failure();
    return ready();
  };
  await until(readyOrGone, patienceMs, failure).catch(async (error: unknown) => {
    await killChild(child);
    throw error;
  });
}

/** A program that could not be run at all has no process id. */
export function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

export async function killChild(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
