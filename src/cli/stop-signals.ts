// Command line: the signals that stop a server.
import { constants } from 'node:os';

const STOPPING = ['SIGTERM', 'SIGINT'] as const;

const end = (signal: NodeJS.Signals): never => process.exit(128 + constants.signals[signal]);

/**
 * Before the process listens, a signal ends it at once, and nothing is lost. Without a handler, the first process of a
 * container would ignore the signal.
 */
export function exitOnSignal(): void {
  for (const signal of STOPPING) process.on(signal, end);
}

/**
 * Handles signals from just before the process listens. A second signal, such as npm sends after Ctrl-C has reached all
 * processes, does nothing: the stop has a time limit.
 */
export function stopSignal(...further: NodeJS.Signals[]): Promise<void> {
  return new Promise((stop) => {
    // In this order: without a listener, Node drops a signal that has arrived and is not handled yet.
    for (const signal of [...STOPPING, ...further]) process.on(signal, () => stop()).off(signal, end);
  });
}
