// Gives many promises the same deadline, with one timer for all that start within a few milliseconds.

/** Promises that start within this time share a timer, so one may be given up that much early. */
const BATCH_MS = 5;

export class LateError extends Error {
  override name = 'LateError';
}

export class Deadlines {
  readonly #ms: number;
  #batch: ((reason: Error) => void)[] = [];
  #openUntil = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** The promise's own outcome, or a LateError when it has none in time. */
  within<T>(promise: Promise<T>): Promise<T> {
    const now = performance.now();
    if (now >= this.#openUntil) this.#open(now);
    return new Promise((resolve, reject) => {
      this.#batch.push(reject);
      promise.then(resolve, reject);
    });
  }

  #open(now: number): void {
    const batch: ((reason: Error) => void)[] = [];
    this.#batch = batch;
    this.#openUntil = now + BATCH_MS;
    const expire = () => {
      const late = new LateError(`no answer within ${this.#ms} ms`);
      for (const reject of batch) reject(late); // without effect on those that have their outcome
    };
    // After a busy event loop, timers come before the socket is read. Only what is still missing after that is late.
    setTimeout(() => setImmediate(expire), this.#ms).unref();
  }
}
