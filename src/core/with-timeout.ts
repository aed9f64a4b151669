// Core: timeouts for promises.
import { setTimeout as after } from 'node:timers/promises';

/** Settles with `work`, or rejects with `timeoutError()` after `timeoutMs`. The work itself is not cancelled. */
export function withTimeout<Answer>(
  timeoutMs: number,
  work: Promise<Answer>,
  timeoutError: () => Error,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError()), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** How long a stop waits for work that another gateway does otherwise. */
export const GRACE_MS = 3_000;

/** Waits for the last work before a stop, at most for GRACE_MS. */
export const finishInGrace = (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, after(GRACE_MS, undefined, { ref: false })]);
