// Portal: the operations that its client may name; nothing else is executed for it.
import { readFileSync } from 'node:fs';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';

/** `{NAME: document}`, written by `portal/codegen.ts` from `portal/src/operations`, which checks each against the schema. */
const MANIFEST = new URL('../../portal/operations.json', import.meta.url);

/** The document of this name; undefined where there is none. Throws where it does not fit the schema. */
export type Operations = (name: string) => PreparedDocument | undefined;

/** Each is prepared when it is first named: all at once take a fifth of the time in which a gateway starts. */
export function loadOperations({ unguarded }: Schemas): Operations {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, string>;
  const texts = new Map(Object.entries(manifest));
  return (name) => {
    const text = texts.get(name);
    return text === undefined ? undefined : prepareDocument(name, text, unguarded);
  };
}
