// REST facade: the operations beside this file, parsed, validated and kept once for each schema.
import { readFileSync } from 'node:fs';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';

const DIRECTORY = new URL('./operations/', import.meta.url);

const prepared = new WeakMap<Schemas['unguarded'], Map<string, PreparedDocument>>();

const read = (name: string) => readFileSync(new URL(`${name}.graphql`, DIRECTORY), 'utf8');

/** Reads `operations/NAME.graphql`, which may spread what is in `fragments.graphql`. Throws where it does not fit the schema. */
export function loadDocument(name: string, { unguarded }: Schemas): PreparedDocument {
  const ofSchema = prepared.get(unguarded) ?? new Map<string, PreparedDocument>();
  prepared.set(unguarded, ofSchema);
  let document = ofSchema.get(name);
  if (document === undefined) {
    document = prepareDocument(name, read(name) + read('fragments'), unguarded);
    ofSchema.set(name, document);
  }
  return document;
}
