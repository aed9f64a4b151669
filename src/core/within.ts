// Core: timeouts for promises.

/** Settles with `work`, or rejects with the error from `late` after `patienceMs`. The work itself is not cancelled. */
export function within<Answer>(patienceMs: number, work: Promise<Answer>, late: () => Error): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(late()), patienceMs);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
