// Portal: the operations that its client may name, validated at boot; nothing else is executed for it.
import { readFileSync } from 'node:fs';
import { GraphQLError } from 'graphql';
import { Refusal } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
import { type PreparedDocument, prepareDocument, type Schemas } from '#gateway/execution/execute.ts';
import type { Portal } from './portal.ts';

/** `{NAME: document}`, written by `portal/codegen.ts` from `portal/src/operations`. */
const MANIFEST = new URL('../../portal/operations.json', import.meta.url);

export type Operations = ReadonlyMap<string, PreparedDocument>;

/** Throws where an operation does not fit the schema. */
export function loadOperations({ unguarded }: Schemas): Operations {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, string>;
  return new Map(Object.entries(manifest).map(([name, text]) => [name, prepareDocument(name, text, unguarded)]));
}

/** Executes with variables that came from outside. Throws Refusal, also where they are not what the operation declares. */
export async function run(
  { gateway }: Portal,
  operation: PreparedDocument,
  variables: Record<string, unknown>,
  principal: Principal,
): Promise<unknown> {
  try {
    return await gateway.execute(operation, variables, principal);
  } catch (error) {
    // An error without a path is of no field.
    if (error instanceof GraphQLError && error.path === undefined)
      throw new Refusal('invalid_parameter', { message: error.message });
    throw error;
  }
}
