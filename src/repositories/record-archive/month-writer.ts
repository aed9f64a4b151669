// Repositories: writes a month's file, one group of rows at a time, and returns its sums.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { type ArchivedCall, CODEC, columnsOf, compareCalls, compressors, SCHEMA } from './columns.ts';
import { FileSummer, type FileSums } from './file-sums.ts';
import type { FileFacts } from './manifest.ts';

/** A group of rows is held in memory, and is the smallest unit of reading. */
const MAX_ROWS = 10_000;
const MAX_ITEMS = 250_000;

/**
 * Writes and syncs without yielding, so it must run in a thread of its own. Calls must be added in the order of the
 * file; otherwise it throws an Error.
 */
export class MonthWriter {
  readonly #output: Output;
  readonly #parquet: ParquetWriter;
  #group: ArchivedCall[] = [];
  #items = 0;
  #rows = 0;
  #last: ArchivedCall | undefined;

  /** The file must not exist. */
  constructor(path: string, about: Record<string, string>) {
    this.#output = new Output(path);
    const kvMetadata = Object.entries(about).map(([key, value]) => ({ key, value }));
    this.#parquet = new ParquetWriter({
      ...{ writer: this.#output, schema: SCHEMA, codec: CODEC, compressors, kvMetadata, createdBy: 'portico' },
      // Ids of clients differ in their last characters.
      statisticsTruncateLength: Number.POSITIVE_INFINITY,
    });
  }

  add(call: ArchivedCall): void {
    if (this.#last !== undefined && compareCalls(this.#last, call) >= 0)
      throw new Error(`${call.requestId} is out of the file's order`);
    this.#last = call;
    this.#group.push(call);
    this.#items += (call.itemIds?.length ?? 0) + (call.removedIds?.length ?? 0);
    if (this.#group.length >= MAX_ROWS || this.#items >= MAX_ITEMS) this.#writeGroup();
  }

  /** Afterwards the file is on disk. */
  finish(): FileFacts {
    if (this.#group.length > 0) this.#writeGroup();
    this.#parquet.finish();
    return { rows: this.#rows, ...this.#output.close() };
  }

  #writeGroup(): void {
    const rowGroupSize = this.#group.length;
    this.#parquet.write({ columnData: columnsOf(this.#group), rowGroupSize });
    this.#rows += rowGroupSize;
    this.#group = [];
    this.#items = 0;
  }
}

/** Writes the library's output to the file after each group. */
class Output extends ByteWriter {
  readonly #file: number;
  readonly #summer = new FileSummer();

  constructor(path: string) {
    super();
    this.#file = openSync(path, 'wx', 0o640);
  }

  flush(): void {
    const written = Buffer.from(this.buffer, 0, this.index);
    for (let at = 0; at < written.length; ) at += writeSync(this.#file, written, at);
    this.#summer.add(written);
    this.index = 0;
  }

  override finish(): void {
    this.flush();
  }

  close(): FileSums {
    fsyncSync(this.#file);
    closeSync(this.#file);
    return this.#summer.end();
  }
}
