// Portal: the operations that its client may name. No others are executed.
import { readFileSync } from 'node:fs';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';

/** `{NAME: document}`, written by `portal/codegen.ts` from `portal/src/operations` and checked against the schema. */
const MANIFEST = new URL('../../portal/operations.json', import.meta.url);

/** The document of this name; undefined if there is none. */
export type Operations = (name: string) => PreparedDocument | undefined;

export function loadOperations({ unguarded }: Schemas): Operations {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, string>;
  const entries = Object.entries(manifest);
  const operations = new Map(entries.map(([name, text]) => [name, prepareDocument(name, text, unguarded)]));
  return (name) => operations.get(name);
}
