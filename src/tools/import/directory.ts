// Tools: the files to load: those of a directory, or a client's export.
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DirectoryError } from './faults.ts';
import { fileOf, KINDS, type Kind } from './kinds.ts';

export interface SourceFile {
  kind: Kind;
  name: string;
  path: string;
  bytes: number;
}

/** A directory with a file for each kind of rows, or a client's export, which has all kinds in one file. */
export type Source = { files: SourceFile[]; exported?: never } | { files?: never; exported: Omit<SourceFile, 'kind'> };

export async function findSource(path: string): Promise<Source> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() === true) return { exported: { name: basename(path), path, bytes: found.size } };
  return { files: await findFiles(path) };
}

/** The known files in the order of loading. An unknown name is refused, since it is probably a mistake. */
async function findFiles(directory: string): Promise<SourceFile[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new DirectoryError(`there is no directory ${directory}`);
    if (error.code === 'ENOTDIR') throw new DirectoryError(`${directory} is neither a directory nor a file`);
    throw new DirectoryError(`cannot read ${directory}: ${error.message}`);
  });
  const known = KINDS.map(fileOf);
  const strange = names.filter((name) => name.endsWith('.ndjson') && !known.includes(name)).sort();
  if (strange.length > 0)
    throw new DirectoryError(`unknown file(s) ${strange.join(', ')} in ${directory}; known are ${known.join(', ')}`);
  const found = KINDS.filter((kind) => names.includes(fileOf(kind)));
  if (found.length === 0) throw new DirectoryError(`nothing to load in ${directory}; known are ${known.join(', ')}`);
  return Promise.all(found.map((kind) => describe(directory, kind)));
}

async function describe(directory: string, kind: Kind): Promise<SourceFile> {
  const path = join(directory, fileOf(kind));
  const found = await stat(path).catch((error: Error) => {
    throw new DirectoryError(`cannot read ${path}: ${error.message}`);
  });
  if (!found.isFile()) throw new DirectoryError(`${path} is not a file`);
  return { kind, name: fileOf(kind), path, bytes: found.size };
}
