// Session: calls a sign-in or account endpoint, which are plain JSON beside GraphQL.
import { exchange } from '../graphql/exchange.ts';
import { PorticoError } from '../graphql/portico-error.ts';

/** GET without a body, POST with one. Throws PorticoError. */
export async function authCall<Body>(path: string, body?: Record<string, unknown>): Promise<Body> {
  return (await exchange(`/portal/auth${path}`, body)) as Body;
}

/**
 * The same for a change that cannot be repeated once it was made. If its response is lost, the error says so, followed by
 * the advice.
 */
export async function authChange(path: string, body: Record<string, unknown>, advice: string): Promise<void> {
  try {
    await authCall(path, body);
  } catch (error) {
    if (!(error instanceof PorticoError) || !maybeDone(error)) throw error;
    const request_id = error.requestId ?? '';
    const message = `There was no response. It may have been done anyway: ${advice}.`;
    throw new PorticoError(error.status, { code: 'maybe_done', message, request_id });
  }
}

/** An offline browser has sent nothing. */
const maybeDone = ({ code, status }: PorticoError): boolean => code !== 'offline' && (status === 0 || status >= 500);
