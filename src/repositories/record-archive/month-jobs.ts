// Repositories: the work of the thread that writes months: a month with added rows, or without a client.
import { join } from 'node:path';
import { unpackNumbers } from '#core/disclosure.ts';
import { requestIdOf } from '#core/ids.ts';
import { CallsHash } from './calls-hash.ts';
import { type ArchivedCall, compareCalls } from './columns.ts';
import type { FileFacts, Manifest } from './manifest.ts';
import { MonthWriter } from './month-writer.ts';
import { openMonth } from './verified-file.ts';

export interface Job {
  directory: string;
  /** Name in the directory of the file to write. */
  partial: string;
  /** Name of the month's partition. */
  name: string;
  from: string;
  until: string;
  /** The existing file to which rows are added; null for none. */
  before: Manifest | null;
  /** Client whose calls are left out of `before`. */
  without: string | null;
}

/** Rows from the database (partition-rows.ts). */
export interface AddedRows {
  rows: readonly RowOfCall[];
  /** Registry ids by number, for items that the thread does not know yet. `forget` clears those known before. */
  names: readonly (readonly [number: number, registryId: string])[];
  forget: boolean;
}

/** Bytes as hexadecimal text: a buffer would be sent with all of the memory that it shares. */
export type RowOfCall = Omit<ArchivedCall, 'requestId' | 'items' | 'removed' | 'itemIds' | 'removedIds'> & {
  id: string;
  items: string | null;
  removed: string | null;
};

export interface Written extends FileFacts {
  /** Name in the directory; synced. */
  partial: string;
  /** Number of rows of `before` that were left out. */
  left: number;
}

/** Rows are added in the order of the file. A row that is also in `before` is written once. */
export class MonthJob {
  readonly #job: Job;
  readonly #writer: MonthWriter;
  readonly #written = new CallsHash();
  readonly #before: AsyncGenerator<ArchivedCall> | null;
  #next: ArchivedCall | undefined;
  #left = 0;
  readonly #names = new Map<number, string>();

  private constructor(job: Job) {
    this.#job = job;
    this.#writer = new MonthWriter(join(job.directory, job.partial), {
      ...{ 'portico.month': job.name, 'portico.from': job.from, 'portico.until': job.until },
    });
    this.#before = job.before === null ? null : this.#callsBefore(job.before);
  }

  static async begin(job: Job): Promise<MonthJob> {
    const begun = new MonthJob(job);
    await begun.#advance();
    return begun;
  }

  async add({ rows, names, forget }: AddedRows): Promise<void> {
    if (forget) this.#names.clear();
    for (const [number, registryId] of names) this.#names.set(number, registryId);
    for (const row of rows) {
      const call = this.#callOf(row);
      if (this.#next !== undefined) await this.#writeBefore(call);
      this.#write(call);
    }
  }

  async finish(): Promise<Written> {
    await this.#writeBefore(null);
    const facts = this.#writer.finish();
    await this.#readBack(facts);
    return { ...facts, partial: this.#job.partial, left: this.#left };
  }

  /** Verifies that the file on disk has exactly the calls that were written. */
  async #readBack(facts: FileFacts): Promise<void> {
    const { directory, name, partial } = this.#job;
    const read = new CallsHash();
    await using file = await openMonth(directory, { ...facts, name, file: partial });
    for await (const calls of file.all()) for (const call of calls) read.add(call);
    if (read.end() !== this.#written.end()) throw new Error(`${partial} does not contain what was written to it`);
  }

  #write(call: ArchivedCall): void {
    this.#written.add(call);
    this.#writer.add(call);
  }

  /** Writes rows of `before` that precede the call, or all if null. Skips the call itself if it comes next. */
  async #writeBefore(call: ArchivedCall | null): Promise<void> {
    while (this.#next !== undefined) {
      const order = call === null ? -1 : compareCalls(this.#next, call);
      if (order > 0) return;
      if (order < 0) this.#write(this.#next);
      await this.#advance();
    }
  }

  async #advance(): Promise<void> {
    const { value } = (await this.#before?.next()) ?? {};
    this.#next = value ?? undefined;
  }

  async *#callsBefore(manifest: Manifest): AsyncGenerator<ArchivedCall> {
    await using file = await openMonth(this.#job.directory, manifest);
    for await (const calls of file.all())
      for (const call of calls) {
        if (call.clientId === this.#job.without) this.#left += 1;
        else yield call;
      }
  }

  #callOf({ id, items, removed, ...row }: RowOfCall): ArchivedCall {
    const bytesOf = (hex: string | null) => (hex === null ? null : Buffer.from(hex, 'hex'));
    const idsOf = (packed: Buffer | null) =>
      packed === null ? null : unpackNumbers(packed).map((number) => this.#names.get(number) ?? null);
    const [carried, removedItems] = [bytesOf(items), bytesOf(removed)];
    return {
      ...{ ...row, requestId: requestIdOf(id), items: carried, removed: removedItems },
      ...{ itemIds: idsOf(carried), removedIds: idsOf(removedItems) },
    };
  }
}
