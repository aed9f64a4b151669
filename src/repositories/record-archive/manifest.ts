// Repositories: the directory of the archive: a file and a manifest for each month, each put in place whole.
import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PlainError } from '#core/errors.ts';
import { BLOCK_BYTES, FileSummer, type FileSums } from './file-sums.ts';

export const FORMAT = 'portico-record-archive/1';

/** What a partition held when it was written to a file: rows, and a sum over hashes of them. */
export interface Source {
  rows: number;
  digest: string;
}

/** What a file is. */
export interface FileFacts extends FileSums {
  rows: number;
}

export interface Manifest extends FileFacts {
  format: typeof FORMAT;
  /** Of the partition, as `access_calls_2026_01`. */
  name: string;
  /** RFC 3339; exclusive. */
  from: string;
  until: string;
  /** Beside the manifest. */
  file: string;
  block_bytes: number;
  source: Source;
  written_at: string;
  /** Whose it is (archived-months.ts); absent in those of earlier releases. */
  deployment?: string;
}

/** A file of the archive is missing or not what it was written as; the message is for operators. */
export class ArchiveFault extends PlainError {
  override readonly name = 'ArchiveFault';
}

/** What is wrong with the archive, where that keeps the work from being done; null where it was done. Throws what else fails. */
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

/** Throws an ArchiveFault where the directory is not there, or cannot be written to. */
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

/** Null where there is none. By its bounds months are left out of lists, and files removed: they are to be those of its name. */
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
 * Gives a written and synced file its place, then the manifest: from then on the month is archived. Between the two `requireLease` is
 * asked, which throws where others may be at the archive by now.
 */
export async function commit(
  directory: string,
  partial: string,
  manifest: Manifest,
  requireLease: () => Promise<unknown>,
): Promise<void> {
  await rename(join(directory, partial), join(directory, manifest.file));
  await syncDirectory(directory);
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
  await syncDirectory(directory);
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Throws an ArchiveFault where the file is missing or of another size. */
export async function requireFile(directory: string, { file, bytes }: Manifest): Promise<void> {
  const path = join(directory, file);
  const { size } = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (size !== bytes) throw damaged(path, `it has ${size} bytes in place of ${bytes}`);
}

/** Reads the whole file again. Throws an ArchiveFault where it is not what the manifest says, of each block too. */
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
 * Removes what processes left that ended in the middle: parts of files, and files that another of their month has replaced. With
 * `uncommitted` all that no manifest names, which nobody but the caller may be about to write then.
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

/** The file first: a manifest without its file is removed again the next time. */
export async function removeMonth(directory: string, { file, name }: Manifest): Promise<void> {
  await rm(join(directory, file), { force: true });
  await rm(join(directory, manifestName(name)), { force: true });
  await syncDirectory(directory);
}
