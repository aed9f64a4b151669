// Core: timeouts for promises.

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
