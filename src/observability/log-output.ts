// Observability: where the log goes, which may take no lines for a while: its disk is full, or nobody reads.
import { pino } from 'pino';

/** Lines wait in memory up to here; what comes beyond is lost. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** What the end of the process waits for whoever reads the log. */
const END_MS = 300;

export interface LogOutput {
  /** To be given to pino. */
  stream: ReturnType<typeof pino.destination>;
  /** Called with the number of lines that were lost, once lines are taken again. */
  onLost(tell: (lines: number) => void): void;
}

/**
 * Standard output. Nobody waits for it, and what waits is tried again with the next line. Standard error is told when it
 * fails; the log itself cannot be.
 */
export function openLogOutput(): LogOutput {
  let failing = false;
  let lost = 0;
  let end = Number.POSITIVE_INFINITY;
  const stream = pino.destination({
    // Asked for its number, standard output makes a pipe one that refuses what it has no room for, rather than one that blocks.
    dest: process.stdout.fd,
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => performance.now() < end,
  });
  let tell = (_lines: number): void => {};
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The console goes on where standard error cannot be written either.
    if (!failing)
      console.error(
        `portico: the log cannot be written (${error.code ?? error.message}); requests are served all the same`,
      );
    failing = true;
  });
  stream.on('drop', () => {
    lost += 1;
  });
  stream.on('drain', () => {
    failing = false;
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    tell(lines);
  });
  // At the end of the process it would try for as long as there is no room, or nobody reads.
  const { flushSync } = stream;
  stream.flushSync = () => {
    if (failing) return;
    end = performance.now() + END_MS;
    try {
      flushSync.call(stream);
    } catch {
      // What is left is lost, and there is nobody to be told.
    }
  };
  return {
    stream,
    onLost(listener) {
      tell = listener;
    },
  };
}
