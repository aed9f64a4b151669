// Database: the files of an embedded PostgreSQL: what is to be kept reaches the disk, and nobody else reads them.
import { existsSync, fsyncSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { writeThrough } from './write-through.ts';

type Prepare = NonNullable<Awaited<ReturnType<NodeFS['init']>>['emscriptenOpts']['preRun']>[number];

/** What the files do for the program; it is there, without being declared. */
interface Files {
  stream_ops: object;
}

/** Where it fails, the engine crashes: what PostgreSQL took for kept may be lost. */
function fsync({ nfd }: { nfd: number }): number {
  fsyncSync(nfd);
  return 0;
}

/** PGlite's directories have no way to write through to the disk: whatever PostgreSQL wants, they say that it is done. */
export class DurableFiles extends NodeFS {
  override async init(...[engine, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(engine, options);
    const addSync: Prepare = ({ FS }) => {
      Object.assign((FS.filesystems.NODEFS as unknown as Files).stream_ops, { fsync });
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addSync] } };
  }
}

/** `fdatasync`, PostgreSQL's own choice, never gets as far as the files here. */
export const DURABLE = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'],
];

/**
 * Makes a new database in `directory` where there is nothing yet. It is made beside it and gets its name when it is whole and on the
 * disk: one that was interrupted could not be opened again. PGlite lets everybody write its files, so the directory lets nobody in.
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
