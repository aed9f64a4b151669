// Repositories: reads a month's file, and uses no block that does not match the manifest.
import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AsyncBuffer, FileMetaData } from 'hyparquet';
import { LRUCache } from 'lru-cache';
import { getOrInsert } from '#core/get-or-insert.ts';
import { type ArchivedCall, callOf, decompressors } from './columns.ts';
import { BLOCK_BYTES } from './file-sums.ts';
import { damaged, type FileFacts, type Manifest, readManifest, unreadable } from './manifest.ts';

/** Number of cached blocks. The next read is mostly adjacent. */
const MAX_BLOCKS = 16;

export interface MonthFile extends AsyncDisposable {
  /** Calls of a client, newest first, some thousands at a time. Reads only groups of rows that may contain some. */
  callsOf(clientId: string): AsyncGenerator<ArchivedCall[]>;
  /** All calls, in the order of the file. */
  all(): AsyncGenerator<ArchivedCall[]>;
}

/** Facts that are known before the file is opened. */
export type Expected = FileFacts & Pick<Manifest, 'name' | 'file'>;

/** Throws an ArchiveFault if the file is missing or damaged, here or during reading. */
export async function openMonth(directory: string, expected: Expected): Promise<MonthFile> {
  const { current, handle } = await openNewest(directory, expected);
  const path = join(directory, current.file);
  try {
    const { size } = await handle.stat();
    if (size !== current.bytes) throw damaged(path, `it has ${size} bytes in place of ${current.bytes}`);
    const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
    const file = verified(path, handle, current);
    const metadata = await parquetMetadataAsync(file);
    if (Number(metadata.num_rows) !== current.rows)
      throw damaged(path, `it has ${metadata.num_rows} rows in place of ${current.rows}`);
    const read = async (rowStart: number, rowEnd: number, columns?: string[]) =>
      (await parquetReadObjects({
        ...{ file, metadata, compressors: decompressors, rowStart, rowEnd, utf8: false },
        ...(columns === undefined ? {} : { columns }),
      })) as Record<string, unknown>[];
    const groups = groupsOf(metadata);
    /** Range of the client's rows within the group; rows are ordered by client. */
    const rowsOfClient = async ({ from, until }: Group, clientId: string) => {
      const clients = (await read(from, until, ['client_id'])).map((row) => row.client_id);
      const first = clients.indexOf(clientId);
      return first < 0 ? null : { from: from + first, until: from + clients.lastIndexOf(clientId) + 1 };
    };
    const groupsFor = (clientId: string) =>
      groups.filter(({ minClientId, maxClientId }) => minClientId <= clientId && clientId <= maxClientId);
    return {
      async *callsOf(clientId) {
        for (const group of groupsFor(clientId).reverse()) {
          const range = await rowsOfClient(group, clientId);
          if (range !== null) yield (await read(range.from, range.until)).map(callOf).reverse();
        }
      },
      async *all() {
        for (const { from, until } of groups) yield (await read(from, until)).map(callOf);
      },
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens the file. If it was replaced since its manifest was read, follows the present manifest. */
async function openNewest(directory: string, expected: Expected): Promise<{ current: Expected; handle: FileHandle }> {
  for (let current = expected; ; ) {
    const path = join(directory, current.file);
    try {
      return { current, handle: await open(path) };
    } catch (error) {
      const newer = await readManifest(directory, current.name);
      if (newer === null || newer.file === current.file) throw unreadable(path, error);
      current = newer;
    }
  }
}

interface Group {
  /** Rows of the file; exclusive. */
  from: number;
  until: number;
  /** Ids of the first and the last client. */
  minClientId: string;
  maxClientId: string;
}

function groupsOf({ row_groups }: FileMetaData): Group[] {
  let until = 0;
  return row_groups.map(({ num_rows, columns }) => {
    const from = until;
    until += Number(num_rows);
    const { min_value, max_value } = columns[0]?.meta_data?.statistics ?? {};
    return { from, until, minClientId: String(min_value ?? ''), maxClientId: String(max_value ?? '\u{10ffff}') };
  });
}

function verified(path: string, handle: FileHandle, { bytes, blocks }: FileFacts): AsyncBuffer {
  const cache = new LRUCache<number, Promise<Buffer>>({ max: MAX_BLOCKS });
  const readBlock = async (index: number): Promise<Buffer> => {
    const from = index * BLOCK_BYTES;
    const block = Buffer.alloc(Math.min(BLOCK_BYTES, bytes - from));
    let filled = 0;
    while (filled < block.length) {
      const { bytesRead } = await handle.read(block, filled, block.length - filled, from + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    if (hash('sha256', block, 'hex') !== blocks[index])
      throw damaged(path, `its bytes ${from} to ${from + block.length - 1} are not what was written`);
    return block;
  };
  return {
    byteLength: bytes,
    async slice(start, end = bytes) {
      const slice = new Uint8Array(end - start);
      for (let at = start; at < end; ) {
        const index = Math.floor(at / BLOCK_BYTES);
        const block = await getOrInsert(cache, index, () => readBlock(index));
        const part = block.subarray(at - index * BLOCK_BYTES, end - index * BLOCK_BYTES);
        slice.set(part, at - start);
        at += part.length;
      }
      return slice.buffer;
    },
  };
}
