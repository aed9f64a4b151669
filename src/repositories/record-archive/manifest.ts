// Repositories: the archive's directory: a file and a manifest for each month, each replaced atomically.
import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PlainError } from '#core/errors.ts';
import { writeThrough } from '#database/write-through.ts';
import { BLOCK_BYTES, FileSummer, type FileSums } from './file-sums.ts';

export const FORMAT = 'portico-record-archive/1';

/** Content of a partition when it was written to a file: number of rows, and a sum of their hashes. */
export interface Source {
  rows: number;
  digest: string;
}

/** Facts about a file. */
export interface FileFacts extends FileSums {
  rows: number;
}

export interface Manifest extends FileFacts {
  format: typeof FORMAT;
  /** Name of the partition, such as `access_calls_2026_01`. */
  name: string;
  /** RFC 3339; `until` is exclusive. */
  from: string;
  until: string;
  /** Name of the file beside the manifest. */
  file: string;
  block_bytes: number;
  source: Source;
  written_at: string;
  /** Deployment that wrote it (archived-months.ts); absent in manifests of earlier releases. */
  deployment?: string;
}

/** A file of the archive is missing or damaged. The message is for operators. */
export class ArchiveFault extends PlainError {
  override readonly name = 'ArchiveFault';
}

/** Runs the work. Returns the archive's fault if that prevented it, otherwise null. Throws other errors. */
export async function faultIn(work: () => Promise<unknown>): Promise<ArchiveFault | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof ArchiveFault) return error;
    throw error;
  }
}

const PARTIAL = /^access_calls_.*\.partial$/;
const MONTH_FILE = /^(access_calls_\d{4}_\d{2})-[0-9a-f]{16}\.parquet$/;
const MANIFEST = /^access_calls_\d{4}_\d{2}\.json$/;

export const fileName = (name: string, sha256: string): string => `${name}-${sha256.slice(0, 16)}.parquet`;
export const partialName = (name: string): string => `${name}.${randomUUID()}.partial`;
const manifestName = (name: string): string => `${name}.json`;

/** Throws an ArchiveFault if the directory does not exist, or cannot be written to. */
export async function requireDirectory(directory: string, mode: 'read' | 'write'): Promise<void> {
  try {
    await readdir(directory);
    if (mode === 'write') await access(directory, constants.W_OK);
  } catch (error) {
    throw new ArchiveFault(
      `RECORD_ARCHIVE cannot be ${mode === 'read' ? 'read' : 'written to'}: ${(error as Error).message}`,
    );
  }
}

/** Oldest first. */
export async function readManifests(directory: string): Promise<Manifest[]> {
  await requireDirectory(directory, 'read');
  const names = (await readdir(directory)).filter((name) => MANIFEST.test(name)).sort();
  const read = await Promise.all(names.map((name) => readManifest(directory, name.slice(0, -'.json'.length))));
  return read.filter((manifest) => manifest !== null);
}

/**
 * Null if there is none. Checks that the bounds match the name, because they decide which months are listed and
 * removed.
 */
export async function readManifest(directory: string, name: string): Promise<Manifest | null> {
  const path = join(directory, manifestName(name));
  try {
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    if (manifest.format === FORMAT && manifest.name === name) {
      const [year = 0, month = 0] = name.slice(-'2026_01'.length).split('_').map(Number);
      const bounds = [Date.parse(manifest.from), Date.parse(manifest.until)];
      if (bounds[0] === Date.UTC(year, month - 1) && bounds[1] === Date.UTC(year, month)) return manifest;
      throw damaged(path, 'its month is not that of its name');
    }
  } catch (error) {
    if (error instanceof ArchiveFault) throw error;
    if ((error as { code?: unknown }).code === 'ENOENT') return null;
    throw new ArchiveFault(`${path} cannot be read: ${(error as Error).message}`);
  }
  throw new ArchiveFault(`${path} is no manifest of the form ${FORMAT}`);
}

/**
 * Moves a written and synced file into place, then the manifest, which completes the archiving. Calls `requireLease` in
 * between, which throws if another process may be using the archive by now.
 */
export async function commit(
  directory: string,
  partial: string,
  manifest: Manifest,
  requireLease: () => Promise<unknown>,
): Promise<void> {
  await rename(join(directory, partial), join(directory, manifest.file));
  await writeThrough(directory);
  await verifyFile(directory, manifest);
  const written = partialName(manifest.name);
  const handle = await open(join(directory, written), 'wx', 0o640);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, null, 1)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await requireLease();
  await rename(join(directory, written), join(directory, manifestName(manifest.name)));
  await writeThrough(directory);
}

/** Throws an ArchiveFault if the file is missing or has another size. */
export async function requireFile(directory: string, { file, bytes }: Manifest): Promise<void> {
  const path = join(directory, file);
  const { size } = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (size !== bytes) throw damaged(path, `it has ${size} bytes in place of ${bytes}`);
}

/** Reads the whole file. Throws an ArchiveFault if it does not match the manifest, also block by block. */
export async function verifyFile(directory: string, { name, file, bytes, sha256, blocks }: Manifest): Promise<void> {
  const path = join(directory, file);
  const summer = new FileSummer();
  try {
    for await (const piece of createReadStream(path, { highWaterMark: BLOCK_BYTES })) summer.add(piece as Buffer);
  } catch (error) {
    throw unreadable(path, error);
  }
  const found = summer.end();
  if (found.bytes !== bytes) throw damaged(path, `it has ${found.bytes} bytes in place of ${bytes}`);
  if (found.sha256 !== sha256) throw damaged(path, 'its SHA-256 is not that of its manifest');
  if (String(found.blocks) !== String(blocks))
    throw damaged(join(directory, manifestName(name)), `its checksums of blocks are not those of ${file}`);
}

export const unreadable = (path: string, error: unknown): ArchiveFault =>
  (error as { code?: unknown }).code === 'ENOENT'
    ? new ArchiveFault(`${path} is missing: put it back from a backup`)
    : new ArchiveFault(`${path} cannot be read: ${(error as Error).message}`);

export const damaged = (path: string, how: string): ArchiveFault =>
  new ArchiveFault(`${path} is damaged: ${how}; put it back from a backup`);

/**
 * Removes what crashed processes left: partial files, and files that were replaced by another of their month. With
 * `uncommitted` all files without a manifest, which requires that no other process is writing one.
 */
export async function sweep(directory: string, { uncommitted = false } = {}): Promise<void> {
  for (const name of await readdir(directory)) {
    if (PARTIAL.test(name)) await rm(join(directory, name), { force: true });
    const [, month] = MONTH_FILE.exec(name) ?? [];
    if (month === undefined) continue;
    const manifest = await readManifest(directory, month);
    if (manifest?.file === name) continue;
    if (uncommitted || (manifest !== null && (await isOlder(directory, name, manifest))))
      await rm(join(directory, name), { force: true });
  }
}

async function isOlder(directory: string, file: string, { name }: Manifest): Promise<boolean> {
  const [one, other] = await Promise.all(
    [file, manifestName(name)].map((each) => stat(join(directory, each)).catch(() => null)),
  );
  return one != null && other != null && one.mtimeMs < other.mtimeMs;
}

/** The file first: a manifest without its file is removed in the next run. */
export async function removeMonth(directory: string, { file, name }: Manifest): Promise<void> {
  await rm(join(directory, file), { force: true });
  await rm(join(directory, manifestName(name)), { force: true });
  await writeThrough(directory);
}
