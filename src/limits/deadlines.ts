// Gives many promises the same deadline, with one timer for all that start within a few milliseconds.

/** Promises that start within this time share a timer, so one may be given up that much early. */
const BATCH_MS = 5;

export class LateError extends Error {
  override name = 'LateError';
}

interface Batch {
  /** How many have no outcome yet. */
  open: number;
  rejects: ((reason: Error) => void)[];
}

export class Deadlines {
  readonly #ms: number;
  #batch: Batch = { open: 0, rejects: [] };
  #openUntil = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** The promise's own outcome, or a LateError when it has none in time. */
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
    const expire = () => {
      if (batch.open === 0) return;
      const late = new LateError(`no answer within ${this.#ms} ms`);
      for (const reject of batch.rejects) reject(late); // without effect on those that have their outcome
    };
    // After a busy event loop, timers come before the socket is read. Only what is still missing after that is late.
    setTimeout(() => setImmediate(expire), this.#ms).unref();
  }
}
