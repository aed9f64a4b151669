// Limits: one deadline for many promises, with a shared timer for all that start within a few milliseconds.

/** Promises that start within this time share a timer, so a timeout may come this much early. */
const BATCH_MS = 5;
/** When answers are slow, the timeout is twice their average duration, at most this multiple of the patience. */
const MAX_FACTOR = 8;
/** Number of answers in the moving average. */
const SMOOTHING = 16;

export class LateError extends Error {
  override name = 'LateError';
}

interface Batch {
  /** Number of pending promises. */
  open: number;
  rejects: ((reason: Error) => void)[];
}

export class Deadlines {
  readonly #timeoutMs: number;
  #batch: Batch = { open: 0, rejects: [] };
  #openUntil = 0;
  #averageMs = 0;

  constructor(ms: number) {
    this.#timeoutMs = ms;
  }

  /** The timeout of a promise that starts now, in milliseconds. */
  get ms(): number {
    return Math.max(this.#timeoutMs, 2 * this.#averageMs);
  }

  /** Settles with the promise, or rejects with a LateError after the timeout. */
  within<T>(promise: Promise<T>): Promise<T> {
    const now = performance.now();
    if (now >= this.#openUntil) this.#open(now);
    const batch = this.#batch;
    batch.open++;
    return new Promise((resolve, reject) => {
      batch.rejects.push(reject);
      promise.then(
        (value) => {
          batch.open--;
          // Late answers count too: they show how long answers take.
          const took = Math.min(performance.now() - now, (MAX_FACTOR / 2) * this.#timeoutMs);
          this.#averageMs += (took - this.#averageMs) / SMOOTHING;
          resolve(value);
        },
        (error: unknown) => {
          batch.open--;
          reject(error);
        },
      );
    });
  }

  #open(now: number): void {
    const batch: Batch = { open: 0, rejects: [] };
    this.#batch = batch;
    this.#openUntil = now + BATCH_MS;
    const { ms } = this;
    const expire = () => {
      if (batch.open === 0) return;
      const late = new LateError(`no answer within ${Math.round(ms)} ms`);
      for (const reject of batch.rejects) reject(late); // no effect on settled promises
    };
    // After a long turn of the event loop, timers run before the socket is read. setImmediate lets answers that have
    // already arrived count as in time.
    setTimeout(() => setImmediate(expire), ms).unref();
  }
}
