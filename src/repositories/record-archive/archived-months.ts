// Repositories: the months that the archive should have, with their manifests.
import { sha256 } from '#core/sha256.ts';
import type { Sql } from '#database/database.ts';
import { readCursorKey } from '../reference.ts';
import { ArchiveFault, type Manifest, readManifests } from './manifest.ts';

export interface ArchivedMonth {
  /** Name of the partition. */
  name: string;
  /** RFC 3339; `until` is exclusive. */
  from: string;
  until: string;
  /** Null if it is missing, or if the archive's place is unknown. */
  manifest: Manifest | null;
}

/** Identifies the deployment in manifests; unchanged by a restore. */
export async function deploymentOf(sql: Sql): Promise<string> {
  const key = await readCursorKey(sql);
  return sha256(Buffer.concat([Buffer.from('record archive'), key]))
    .toString('hex')
    .slice(0, 16);
}

/**
 * Manifests in the directory, oldest first. Throws an ArchiveFault if one is of another deployment: its calls would be
 * mixed with ours, and its files removed with ours. Manifests of releases that did not name the deployment count as
 * ours.
 */
export async function readOwnManifests(sql: Sql, directory: string): Promise<Manifest[]> {
  const manifests = await readManifests(directory);
  const own = await deploymentOf(sql);
  const other = manifests.find(({ deployment = own }) => deployment !== own);
  if (other !== undefined)
    throw new ArchiveFault(`${directory} is the archive of another deployment, as ${other.name}.json says`);
  return manifests;
}

/**
 * Oldest first: months archived according to the database, and months with files. Throws an ArchiveFault if the
 * directory is given, but cannot be read or is another deployment's.
 */
export async function listArchivedMonths(sql: Sql, directory: string | null): Promise<ArchivedMonth[]> {
  const manifests = directory === null ? [] : await readOwnManifests(sql, directory);
  const text = `select 'access_calls_' || to_char(month, 'YYYY_MM') as name, month::timestamp at time zone 'UTC' as "from",
      (month + interval '1 month') at time zone 'UTC' as until, removed_at is not null as removed
    from record_archive_months`;
  const rows = await sql.query<{ name: string; from: string; until: string; removed: boolean }>({ text });
  const months = new Map<string, ArchivedMonth>();
  for (const { name, from, until, removed } of rows)
    if (!removed) months.set(name, { name, from, until, manifest: null });
  const removed = new Set(rows.filter((row) => row.removed).map(({ name }) => name));
  for (const manifest of manifests) {
    const { name, from, until } = manifest;
    if (!removed.has(name)) months.set(name, { name, from, until, manifest });
  }
  return [...months.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Throws an ArchiveFault if the archive's place is unknown, or if the month's file is missing. */
export function requireManifest({ name, from, until, manifest }: ArchivedMonth, directory: string | null): Manifest {
  if (manifest !== null) return manifest;
  const which = `Calls from ${from} to ${until} are in the archive`;
  throw new ArchiveFault(
    directory === null
      ? `${which}: set RECORD_ARCHIVE to its directory`
      : `${which}, and ${directory} has no ${name}.json: put it back from a backup with its file, or set RECORD_ARCHIVE to the directory of the archive`,
  );
}
