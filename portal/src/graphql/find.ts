// GraphQL client: calls a persisted operation for an object that may not exist.
import { call } from './call.ts';
import type { Operation } from './operation.ts';
import { PorticoError } from './portico-error.ts';

/**
 * Returns the operation's body, or null if the object does not exist. Throws PorticoError for other refusals and
 * failures.
 */
export async function find<Body, Variables>(
  operation: Operation<Body, Variables>,
  variables: Variables,
): Promise<Body | null> {
  return call(operation, variables).catch((error: unknown) => {
    if (error instanceof PorticoError && error.code === 'resource_not_found') return null;
    throw error;
  });
}
