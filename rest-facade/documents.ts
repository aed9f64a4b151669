// REST facade: the operations beside this file, parsed, validated and kept once for each schema, whoever asks for them.
import { readFileSync } from 'node:fs';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';

const DIRECTORY = new URL('./operations/', import.meta.url);

const prepared = new WeakMap<Schemas['unguarded'], Map<string, PreparedDocument>>();

/** Reads `operations/NAME.graphql`. Throws where it does not fit the schema. */
export function loadDocument(name: string, { unguarded }: Schemas): PreparedDocument {
  const ofSchema = prepared.get(unguarded) ?? new Map<string, PreparedDocument>();
  prepared.set(unguarded, ofSchema);
  let document = ofSchema.get(name);
  if (document === undefined) {
    document = prepareDocument(name, readFileSync(new URL(`${name}.graphql`, DIRECTORY), 'utf8'), unguarded);
    ofSchema.set(name, document);
  }
  return document;
}
