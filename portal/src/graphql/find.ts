// GraphQL client: one call of a persisted operation about something that may not be there.
import { call } from './call.ts';
import type { Operation } from './operation.ts';
import { PorticoError } from './portico-error.ts';

/** The operation's body; null where there is no such thing. Throws PorticoError for every other refusal and failure. */
export async function find<Body, Variables>(
  operation: Operation<Body, Variables>,
  variables: Variables,
): Promise<Body | null> {
  return call(operation, variables).catch((error: unknown) => {
    if (error instanceof PorticoError && error.code === 'resource_not_found') return null;
    throw error;
  });
}
