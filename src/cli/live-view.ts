// Command line: a full-screen view that is redrawn until the user quits.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/** Defaults for a terminal that does not report its size. */
const ROWS = 24;
const COLUMNS = 80;

const EVERY_MS = 1_000;
/** The last two are Ctrl-C and Ctrl-D. */
const ENDS = ['q', 'Q', '\x03', '\x04'];

/** Whether there are a screen for the output and a keyboard to quit with. */
export const isInteractive = (): boolean => process.stdout.isTTY === true && process.stdin.isTTY === true;

/**
 * Shows the result of `read` once a second, until q, Ctrl-C or a signal. An error is shown in its place, and the read
 * is repeated. Restores the terminal at the end.
 */
export async function showLive(read: () => Promise<string>): Promise<void> {
  const over = new AbortController();
  const ended = once(over.signal, 'abort').then(() => null);
  const end = () => over.abort();
  const onKey = (key: string) => {
    if (ENDS.some((one) => key.includes(one))) end();
  };
  const { stdin, stdout } = process;
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  stdin.setRawMode(true).setEncoding('utf8').on('data', onKey).resume();
  stdout.write(ENTER);
  try {
    while (!over.signal.aborted) {
      const text = await Promise.race([read().catch((error: Error) => error.message), ended]);
      if (text === null) break;
      stdout.write(frame(text, stdout.rows || ROWS, stdout.columns || COLUMNS));
      await sleep(EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  } finally {
    stdout.write(LEAVE);
    stdin.off('data', onKey).setRawMode(false).pause();
    for (const signal of signals) process.off(signal, end);
  }
}

/** As much of the text as fits, replacing the previous one. */
export function frame(text: string, rows: number, columns: number): string {
  const lines = text.split('\n').slice(0, Math.max(1, rows - 1));
  return `${HOME}${lines.map((line) => `${line.slice(0, columns)}${CLEAR_LINE}\r\n`).join('')}${CLEAR_BELOW}`;
}
