// Repositories: writes a month's file, a group of rows at a time, and says what it is.
import { createHash, type Hash, hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { type ArchivedCall, columnsOf, compareCalls, SCHEMA } from './columns.ts';
import { CODEC, compressors } from './compression.ts';
import { BLOCK_BYTES, type FileFacts } from './manifest.ts';

/** A group of rows is what is held in memory, and the least that is read. */
const MAX_ROWS = 10_000;
const MAX_ITEMS = 250_000;

/**
 * Writes and syncs, without yielding in between: it belongs into a thread of its own. Calls come in the order of the file; it
 * throws an Error where they do not.
 */
export class MonthWriter {
  readonly #output: Output;
  readonly #parquet: ParquetWriter;
  #group: ArchivedCall[] = [];
  #items = 0;
  #rows = 0;
  #last: ArchivedCall | undefined;

  /** The file must not be there. */
  constructor(path: string, about: Record<string, string>) {
    this.#output = new Output(path);
    const kvMetadata = Object.entries(about).map(([key, value]) => ({ key, value }));
    this.#parquet = new ParquetWriter({
      ...{ writer: this.#output, schema: SCHEMA, codec: CODEC, compressors, kvMetadata, createdBy: 'portico' },
      // Clients are told apart by their last characters.
      statisticsTruncateLength: Number.POSITIVE_INFINITY,
    });
  }

  add(call: ArchivedCall): void {
    if (this.#last !== undefined && compareCalls(this.#last, call) >= 0)
      throw new Error(`${call.requestId} is not in the order of the file`);
    this.#last = call;
    this.#group.push(call);
    this.#items += (call.itemIds?.length ?? 0) + (call.removedIds?.length ?? 0);
    if (this.#group.length >= MAX_ROWS || this.#items >= MAX_ITEMS) this.#writeGroup();
  }

  /** After this, the file is on disk. */
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

/** What the library has written so far goes to the file after each group. */
class Output extends ByteWriter {
  readonly #file: number;
  readonly #whole: Hash = createHash('sha256');
  readonly #blocks: string[] = [];
  #bytes = 0;
  /** Of the block that is not full yet. */
  #begun: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    super();
    this.#file = openSync(path, 'wx', 0o640);
  }

  flush(): void {
    const written = Buffer.from(this.buffer, 0, this.index);
    for (let at = 0; at < written.length; ) at += writeSync(this.#file, written, at);
    this.#bytes += written.length;
    this.#whole.update(written);
    const rest = Buffer.concat([this.#begun, written]);
    let from = 0;
    for (; rest.length - from >= BLOCK_BYTES; from += BLOCK_BYTES)
      this.#hashBlock(rest.subarray(from, from + BLOCK_BYTES));
    this.#begun = rest.subarray(from);
    this.index = 0;
  }

  override finish(): void {
    this.flush();
  }

  close(): Omit<FileFacts, 'rows'> {
    if (this.#begun.length > 0) this.#hashBlock(this.#begun);
    fsyncSync(this.#file);
    closeSync(this.#file);
    return { bytes: this.#bytes, sha256: this.#whole.digest('hex'), blocks: this.#blocks };
  }

  #hashBlock(block: Buffer): void {
    this.#blocks.push(hash('sha256', block, 'hex'));
  }
}
