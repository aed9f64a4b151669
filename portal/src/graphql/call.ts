// GraphQL client: calls a persisted operation.
import { type ExchangeOptions, exchange } from './exchange.ts';
import type { Operation } from './operation.ts';

/** Returns the operation's body. Throws PorticoError for refusals and failures. */
export async function call<Body, Variables>(
  operation: Operation<Body, Variables>,
  variables: Variables,
  options?: ExchangeOptions,
): Promise<Body> {
  const { data } = (await exchange('/portal/graphql', { operation: operation.name, variables }, options)) as {
    data: Body;
  };
  return data;
}
