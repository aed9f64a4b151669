// Gives many promises the same deadline, with one timer for all that start within a few milliseconds.

/** Promises that start within this time share a timer, so one may be given up that much early. */
const BATCH_MS = 5;
/** Where answers take long for a while, twice as long is waited for as they take; at most this many times the patience. */
const MOST = 8;
/** Of how many answers "a while" is made. */
const SMOOTHING = 16;

export class LateError extends Error {
  override name = 'LateError';
}

interface Batch {
  /** How many have no outcome yet. */
  open: number;
  rejects: ((reason: Error) => void)[];
}

export class Deadlines {
  readonly #patience: number;
  #batch: Batch = { open: 0, rejects: [] };
  #openUntil = 0;
  #usual = 0;

  constructor(ms: number) {
    this.#patience = ms;
  }

  /** How long is waited for a promise that starts now, in milliseconds. */
  get ms(): number {
    return Math.max(this.#patience, 2 * this.#usual);
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
          // However late: it says how long answers take.
          const took = Math.min(performance.now() - now, (MOST / 2) * this.#patience);
          this.#usual += (took - this.#usual) / SMOOTHING;
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
      for (const reject of batch.rejects) reject(late); // without effect on those that have their outcome
    };
    // After a busy event loop, timers come before the socket is read. Only what is still missing after that is late.
    setTimeout(() => setImmediate(expire), ms).unref();
  }
}
