// REST facade: the operations in this folder, parsed, validated and cached once for each schema.
import { readFileSync } from 'node:fs';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';

const DIRECTORY = new URL('./operations/', import.meta.url);

const read = (name: string) => readFileSync(new URL(`${name}.graphql`, DIRECTORY), 'utf8');

/**
 * Reads `operations/NAME.graphql`, which may use the fragments of `fragments.graphql`. Throws if it does not fit the
 * schema.
 */
export function loadDocument(name: string, { unguarded }: Schemas): PreparedDocument {
  return prepareDocument(name, read(name) + read('fragments'), unguarded);
}
