// Repositories: writes a month of the record to the archive, and removes expired months from it.
import type { Sql } from '#database/database.ts';
import { readValue } from '#database/rows.ts';
import type { Month } from '../access-record/partitions.ts';
import { noteArchived } from '../personal-data/erased-subjects.ts';
import { deploymentOf, listArchivedMonths, readOwnManifests } from './archived-months.ts';
import { BLOCK_BYTES } from './file-sums.ts';
import {
  ArchiveFault,
  commit,
  FORMAT,
  faultIn,
  fileName,
  type Manifest,
  readManifest,
  removeMonth,
  requireDirectory,
  type Source,
  sweep,
  verifyFile,
} from './manifest.ts';
import type { Written } from './month-jobs.ts';
import { MonthThread } from './month-thread.ts';
import { readPartition, sourceOf } from './partition-rows.ts';
import { openMonth } from './verified-file.ts';

/** A month whose partition still exists. */
type MonthToArchive = Pick<Month, 'name' | 'from' | 'until'>;

/**
 * To be called before months are archived: notes in the database that the record has an archive, and cleans up its
 * directory. Throws an ArchiveFault if the directory has none of the expected months: files written below an unmounted
 * mount point would be lost.
 */
export async function beginArchiving(sql: Sql, directory: string): Promise<void> {
  await requireDirectory(directory, 'write');
  const months = await listArchivedMonths(sql, directory);
  if (months.length > 0 && months.every(({ manifest }) => manifest === null))
    throw new ArchiveFault(
      `${directory} contains none of the archived months: mount the archive, or set RECORD_ARCHIVE to its directory`,
    );
  await sql.query({ text: 'insert into record_archive default values on conflict do nothing' });
  await sweep(directory);
}

/** Whether a process has archived months. If so, no process may drop a month of the record without archiving it. */
export function isArchived(sql: Sql): Promise<boolean> {
  return readValue(sql, { text: 'select exists (select from record_archive) as archived' });
}

/**
 * Makes sure that the archive has every row of the partition, in a file that was read back. Keeps rows that only the
 * month's existing file has, such as those of an earlier partition. Does not block writers. Throws an ArchiveFault if
 * the existing file is damaged and has rows that the database does not have.
 */
export async function archiveMonth(
  sql: Sql,
  directory: string,
  month: MonthToArchive,
  signal?: AbortSignal,
): Promise<void> {
  const before = await readManifest(directory, month.name);
  if (before === null) await writeMonth(sql, directory, month, null, signal);
  else {
    const fault = await faultIn(() => verifyMonth(directory, before));
    const isSame = sameSource(before.source, await sourceOf(sql, month.name));
    // A damaged file is rewritten if all of its rows came from the partition, and the partition is unchanged.
    if (fault !== null && !(isSame && before.rows === before.source.rows)) throw fault;
    if (fault !== null || !isSame) await writeMonth(sql, directory, month, fault === null ? before : null, signal);
  }
  await noteArchived(sql, month.name);
  const text = `insert into record_archive_months (month) values (($1::timestamptz at time zone 'UTC')::date)
    on conflict (month) do update set removed_at = null`;
  await sql.query({ text, values: [month.from] });
}

const sameSource = (one: Source, other: Source): boolean => one.rows === other.rows && one.digest === other.digest;

/** Reads the whole file. Throws an ArchiveFault if it differs from what was written. */
export async function verifyMonth(directory: string, manifest: Manifest): Promise<void> {
  await verifyFile(directory, manifest);
  await using _ = await openMonth(directory, manifest);
}

async function writeMonth(
  sql: Sql,
  directory: string,
  { name, from, until }: MonthToArchive,
  before: Manifest | null,
  signal?: AbortSignal,
): Promise<void> {
  await using thread = new MonthThread({ directory, name, from, until, before, without: null }, signal);
  const source = await readPartition(sql, name, (rows) => thread.add(rows), signal);
  const written = await thread.finish();
  if (written.rows < source.rows || written.rows < (before?.rows ?? 0))
    throw new Error(`${written.rows} of ${source.rows} calls of ${name} were written`);
  await commitMonth(sql, directory, { name, from, until, source }, written);
}

/** Moves a file into place, and removes the previous one. Throws if the session with the lease has ended. */
export async function commitMonth(
  sql: Sql,
  directory: string,
  { name, from, until, source }: Pick<Manifest, 'name' | 'from' | 'until' | 'source'>,
  { partial, rows, bytes, sha256, blocks }: Written,
): Promise<void> {
  const manifest: Manifest = {
    ...{ format: FORMAT, name, from, until, file: fileName(name, sha256), rows, bytes, sha256 },
    ...{ block_bytes: BLOCK_BYTES, blocks, source, written_at: new Date().toISOString() },
    deployment: await deploymentOf(sql),
  };
  await commit(directory, partial, manifest, () => sql.query({ text: 'select' }));
  await sweep(directory);
}

/** Removes the files of months that ended before this instant; returns their names. */
export async function removeMonthsBefore(sql: Sql, directory: string, instant: Date): Promise<string[]> {
  // Recorded before the removal, and also for lost files, so that a missing file is not looked for.
  const text = `update record_archive_months set removed_at = now_ms()
    where removed_at is null and (month + interval '1 month') at time zone 'UTC' <= $1::timestamptz`;
  await sql.query({ text, values: [instant.toISOString()] });
  const manifests = await readOwnManifests(sql, directory);
  const ended = manifests.filter(({ until }) => Date.parse(until) <= instant.getTime());
  for (const manifest of ended) await removeMonth(directory, manifest);
  return ended.map(({ name }) => name);
}
