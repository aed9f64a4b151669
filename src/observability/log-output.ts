// Observability: the destination of the log, which may be unable to take lines: its disk is full, or its reader stalls.
import { pino } from 'pino';

/** Maximum of buffered lines. Further lines are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** How long the end of the process waits for the reader of the log. */
const END_MS = 300;

/**
 * Standard output, as a destination for pino. Writing never blocks a request, and buffered lines are retried with the
 * next line. A failure is reported on standard error, since the log itself cannot be written. `onLost` is called with
 * the number of dropped lines, once lines can be written again.
 */
export function openLogOutput(onLost: (lines: number) => void): ReturnType<typeof pino.destination> {
  let failing = false;
  let lost = 0;
  let end = Number.POSITIVE_INFINITY;
  const stream = pino.destination({
    // Reading `fd` initializes the stream, which makes a pipe non-blocking: a full one returns EAGAIN.
    dest: process.stdout.fd,
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => performance.now() < end,
  });
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `console` ignores a standard error that cannot be written either.
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
    onLost(lines);
  });
  // At the end of the process, flushSync would retry for as long as the disk is full or the reader stalls.
  const { flushSync } = stream;
  stream.flushSync = () => {
    if (failing) return;
    end = performance.now() + END_MS;
    try {
      flushSync.call(stream);
    } catch {
      // The remaining lines are lost. Nothing is left to report it to.
    }
  };
  return stream;
}
