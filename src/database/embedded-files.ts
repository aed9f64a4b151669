// Database: the files of an embedded PostgreSQL, written durably and readable only by their owner.
import { existsSync, fsyncSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { writeThrough } from './write-through.ts';

type Prepare = NonNullable<Awaited<ReturnType<NodeFS['init']>>['emscriptenOpts']['preRun']>[number];

/** The file operations of PGlite's file system, which exist without being declared. */
interface Files {
  stream_ops: object;
}

/** If it fails, the engine crashes, because data that PostgreSQL considers durable may be lost. */
function fsync({ nfd }: { nfd: number }): number {
  fsyncSync(nfd);
  return 0;
}

/** PGlite's file system has no fsync and only pretends success. */
export class DurableFiles extends NodeFS {
  override async init(...[engine, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(engine, options);
    const addSync: Prepare = ({ FS }) => {
      Object.assign((FS.filesystems.NODEFS as unknown as Files).stream_ops, { fsync });
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addSync] } };
  }
}

/** `fdatasync`, PostgreSQL's default, never reaches the operations of these files. */
export const DURABLE = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'],
];

/**
 * Creates a database in `directory` unless one exists. It is built beside it and renamed when complete and on disk,
 * because an interrupted one could not be opened again. PGlite's files are writable by everybody, so the directory is
 * only accessible to its owner.
 */
export async function makeDatabase(directory: string): Promise<void> {
  if (existsSync(directory)) return;
  const draft = `${directory}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  const engine = new PGlite(draft);
  await engine.waitReady;
  await engine.close();
  const entries = await readdir(draft, { recursive: true });
  for (const path of [...entries.map((entry) => join(draft, entry)), draft]) await writeThrough(path);
  await rename(draft, directory);
  await writeThrough(dirname(directory));
}
