// Core: patience with what may never answer.

/** What `work` gives. Rejects with what `late` makes where it has not settled within so many milliseconds; it goes on by itself then. */
export function within<Answer>(patienceMs: number, work: Promise<Answer>, late: () => Error): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(late()), patienceMs);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
