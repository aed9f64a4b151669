// Bench: progress messages of a run, on standard error.

const started = performance.now();

/** One line with the seconds since the start. */
export function note(text: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
  process.stderr.write(`${seconds} s  ${text}\n`);
}
