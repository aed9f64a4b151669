// Command line: the signals that stop a server.
import { constants } from 'node:os';

const STOPPING = ['SIGTERM', 'SIGINT'] as const;

/** A signal ends the process at once as long as nothing else listens for it: until then nothing is lost. */
export function exitOnSignal(): void {
  for (const signal of STOPPING)
    process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(128 + constants.signals[signal]));
}

/**
 * Handles signals from just before the process listens. A second signal, such as npm sends after Ctrl-C has reached all
 * processes, does nothing: the stop has a time limit.
 */
export function stopSignal(...further: NodeJS.Signals[]): Promise<void> {
  return new Promise((stop) => {
    for (const signal of [...STOPPING, ...further]) process.on(signal, () => stop());
  });
}
