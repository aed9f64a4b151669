// Portal: the operations that its client may name, validated at boot; nothing else is executed for it.
import { readFileSync } from 'node:fs';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';

/** `{NAME: document}`, written by `portal/codegen.ts` from `portal/src/operations`. */
const MANIFEST = new URL('../../portal/operations.json', import.meta.url);

export type Operations = ReadonlyMap<string, PreparedDocument>;

/** Throws where an operation does not fit the schema. */
export function loadOperations({ unguarded }: Schemas): Operations {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, string>;
  return new Map(Object.entries(manifest).map(([name, text]) => [name, prepareDocument(name, text, unguarded)]));
}
