// Repositories: a thread that writes a month's file, so that compression does not block the process.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PlainError } from '#core/errors.ts';
import { ArchiveFault, partialName } from './manifest.ts';
import type { AddedRows, Job, Written } from './month-jobs.ts';

export type Order = { add: AddedRows } | { finish: true };
export type Reply = { done: true } | { written: Written } | { failed: { message: string; isFault: boolean } };

/**
 * Memory limits of the thread. Its data is bounded by a group of rows; this is the heap that Node may use before
 * collecting garbage.
 */
const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };

/**
 * Takes one order at a time. A failure in the thread, or an abort by the signal, is thrown by the order; then the
 * thread has to be closed.
 */
export class MonthThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #path: string;
  #hasEnded = false;

  constructor(job: Omit<Job, 'partial'>, signal?: AbortSignal) {
    const partial = partialName(job.name);
    this.#path = join(job.directory, partial);
    this.#worker = new Worker(new URL('./month-worker.ts', import.meta.url), {
      ...{ workerData: { ...job, partial } satisfies Job, name: 'record archive', resourceLimits: LIMITS },
    });
    // An error rejects the pending order. Without a pending order there is no one to report it to.
    this.#worker.on('error', () => {});
    this.#worker.unref();
    const end = () => this.#worker.terminate();
    signal?.addEventListener('abort', end, { once: true });
    this.#worker.once('exit', () => {
      this.#hasEnded = true;
      signal?.removeEventListener('abort', end);
    });
  }

  async add(added: AddedRows): Promise<void> {
    await this.#order({ add: added });
  }

  async finish(): Promise<Written> {
    const reply = await this.#order({ finish: true });
    if (!('written' in reply)) throw new Error('the thread ended without a result');
    return reply.written;
  }

  #order(order: Order): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const onMessage = (reply: Reply) => ('failed' in reply ? reject(errorOf(reply.failed)) : resolve(reply));
    const onExit = () => reject(new Error('the thread that writes the archive ended'));
    // If the thread ended between two orders, no event follows.
    if (this.#hasEnded) onExit();
    this.#worker.ref();
    this.#worker.once('message', onMessage).once('error', reject).once('exit', onExit);
    this.#worker.postMessage(order);
    return promise.finally(() => {
      this.#worker.off('message', onMessage).off('error', reject).off('exit', onExit);
      this.#worker.unref();
    });
  }

  /** Removes a file that was not committed: on a full disk it would keep the space from others. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
    await rm(this.#path, { force: true });
  }
}

const errorOf = ({ message, isFault }: { message: string; isFault: boolean }): Error =>
  isFault ? new ArchiveFault(message) : new PlainError(`the archive could not be written: ${message}`);
