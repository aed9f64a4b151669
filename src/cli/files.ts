// Command line: files named as arguments, with errors for the person at the terminal.
import { readFile, writeFile } from 'node:fs/promises';
import { type KeySet, readKeySet } from '#gateway/consent/receipt-signature.ts';
import { asFailure, CommandFailure, type CommandHost } from './host.ts';
import { withDatabase } from './session.ts';

export function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(asFailure(`${file} cannot be read`));
}

export function writeText(file: string, text: string): Promise<void> {
  return writeFile(file, text).catch(asFailure(`${file} cannot be written`));
}

/** Keys from the file, as published at /.well-known/jwks.json, or else from the database. */
export async function publishedKeys(
  { config }: Pick<CommandHost, 'config'>,
  file: string | undefined,
): Promise<KeySet> {
  if (file === undefined) return withDatabase(config(), readKeySet);
  const text = await readText(file);
  try {
    const set = JSON.parse(text) as KeySet;
    if (Array.isArray(set.keys)) return set;
  } catch {
    // Not JSON at all.
  }
  throw new CommandFailure(`${file} is not a JSON Web Key Set (an object with "keys")`);
}
