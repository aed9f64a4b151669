// REST facade: the operations beside this file, parsed and validated once at boot.
import { readFileSync } from 'node:fs';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execute.ts';

const DIRECTORY = new URL('./operations/', import.meta.url);

/** Reads `operations/NAME.graphql`. Throws where it does not fit the schema. */
export function loadDocument(name: string, { unguarded }: Schemas): PreparedDocument {
  return prepareDocument(name, readFileSync(new URL(`${name}.graphql`, DIRECTORY), 'utf8'), unguarded);
}
