// Tools: imports a directory of platform data, or a client's export: completely or not at all.
import type { Database, Sql } from '#database/database.ts';
import { lockImports } from '#repositories/import-lock.ts';
import { findSource, type Source } from './directory.ts';
import { preserveWithheld, stageExport } from './exported.ts';
import { type Fault, ImportRefused, MAX_FAULTS } from './faults.ts';
import type { Kind } from './kinds.ts';
import { type Progress, SILENT } from './progress.ts';
import { readReferenceRows } from './reference-rows.ts';
import { checkReferences } from './references.ts';
import { shapesFor } from './shapes.ts';
import { createStaging, stageFile } from './staging.ts';
import { skipErased } from './write/erased.ts';
import type { Erase } from './write/erasures.ts';
import type { Counts } from './write/merge.ts';
import { writeRows } from './write/write-rows.ts';

export type ImportCounts = Record<Kind, Counts>;

export interface ImportOptions {
  /** A directory, or the file of a client's export. */
  directory: string;
  /** Prefix of new items' registry ids. */
  platformPrefix: string;
  /** Erases firms and users that lines delete; may be absent if no line does. */
  erase?: Erase;
  progress?: Progress;
  /** Called if the import has to wait for another one. */
  onWait?: () => void;
}

/**
 * Loads the directory or file in one transaction. Throws a DirectoryError if there is nothing to read, and an
 * ImportRefused with up to 100 faults if rows are wrong. Nothing is written then.
 */
export async function importDirectory(database: Database, options: ImportOptions): Promise<ImportCounts> {
  const source = await findSource(options.directory);
  const attempt = () => database.transaction((sql) => load(sql, source, options));
  return attempt().catch((error: { code?: string }) => {
    // A row that was committed after the checks, such as a member who has just joined: in a second attempt they find it.
    if (error.code === UNIQUE_VIOLATION) return attempt();
    throw error;
  });
}

const UNIQUE_VIOLATION = '23505';

async function load(sql: Sql, { files, exported }: Source, options: ImportOptions): Promise<ImportCounts> {
  const { platformPrefix, progress = SILENT, erase, onWait } = options;
  // One import at a time: the checks of a concurrent one would be outdated when it writes.
  await lockImports(sql, onWait);
  await sql.query({ text: `set local work_mem = '32MB'` });
  const shapes = shapesFor(await readReferenceRows(sql), platformPrefix);
  await createStaging(sql, shapes);
  const found: Fault[] = [];
  if (exported !== undefined) await stageExport(sql, exported, shapes, found, progress);
  for (const file of files ?? [])
    if (found.length < MAX_FAULTS) await stageFile(sql, file, shapes[file.kind], found, progress);
  const erased = await skipErased(sql);
  const faults = found.length < MAX_FAULTS ? await checkReferences(sql, found, progress) : found;
  if (faults.length > 0) throw new ImportRefused(exported === undefined ? faults : ofOneFile(exported.name, faults));
  if (exported !== undefined) await preserveWithheld(sql);
  return writeRows(sql, progress, { erased, erase });
}

const ofOneFile = (file: string, faults: Fault[]): Fault[] =>
  faults.map((fault) => ({ ...fault, file })).sort((a, b) => a.line - b.line);
