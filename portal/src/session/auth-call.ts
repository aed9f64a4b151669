// Session: calls a sign-in or account endpoint, which are plain JSON beside GraphQL.
import { exchange } from '../graphql/exchange.ts';

/** GET without a body, POST with one. Throws PorticoError. */
export async function authCall<Body>(path: string, body?: Record<string, unknown>): Promise<Body> {
  return (await exchange(`/portal/auth${path}`, body)) as Body;
}
