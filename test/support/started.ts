// Test support: waits for the start of child processes, and kills those that fail to start.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { until } from '#test/support/ports.ts';

/** Long enough for busy machines; a start usually takes a second or two. */
export const START_MS = 300_000;

/** Waits until the process is `ready`. If it ends or takes too long, kills it and throws an error with its output. */
export async function untilStarted(
  child: ChildProcess,
  ready: () => Promise<boolean>,
  output: () => string,
  patienceMs = START_MS,
): Promise<void> {
  const failure = () => new Error(`it did not start:\n${output()}`);
  const readyOrEnded = async () => {
    if (!isRunning(child)) throw failure();
    return ready();
  };
  await until(readyOrEnded, patienceMs, failure).catch(async (error: unknown) => {
    await killChild(child);
    throw error;
  });
}

/** A program that could not be started has no process id. */
export function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

export async function killChild(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
