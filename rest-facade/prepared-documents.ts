// REST facade: the documents of `operations`, cached once for each schema.
import { readFileSync } from 'node:fs';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';

const DIRECTORY = new URL('./operations/', import.meta.url);

const read = (name: string) => readFileSync(new URL(`${name}.graphql`, DIRECTORY), 'utf8');

/** The text of `operations/NAME.graphql`, with the fragments of `fragments.graphql`, which it may use. */
export const readDocument = (name: string): string => read(name) + read('fragments');

export function loadDocument(name: string, { unguarded }: Schemas): PreparedDocument {
  return prepareDocument(name, readDocument(name), unguarded);
}
