// REST facade, OpenAPI: converts the newest version's operations to an earlier version.
import type { Version } from '#versions/change.ts';
import type { Described } from './described.ts';
import { inlined, type JsonSchema } from './json-schema.ts';

/**
 * Applies the `describe` hooks of every version after `date`, newest first. Inlines the schemas of an operation before
 * a hook changes it, since the components belong to the newest version and other operations share them.
 */
export function asOfVersion(
  described: Described[],
  date: string,
  versions: readonly Version[],
  schemas: Readonly<Record<string, JsonSchema>>,
): Described[] {
  const index = versions.findIndex((version) => version.date === date);
  if (index === -1) throw new Error(`there is no version ${date}`);
  const later = versions.slice(index + 1).flatMap(({ changes }) => changes);
  return described.map((one) => {
    const name = String(one.operation.operationId).replace(/Head$/, '');
    const steps = later.flatMap(({ operations }) => operations[name]?.describe ?? []);
    if (steps.length === 0) return one;
    const operation = steps.reduceRight<unknown>((newer, step) => step(newer), inlined(one.operation, schemas));
    return { ...one, operation: operation as JsonSchema };
  });
}
