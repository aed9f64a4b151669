// Portal: passes requests to the sign-in library, and returns its responses.
import type { FastifyRequest } from 'fastify';
import { clientAddress } from '#http/client-address.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { json } from '../respond.ts';
import type { BetterAuth } from './better-auth.ts';
import { refusalOf } from './better-auth-errors.ts';
import type { KnownPerson } from './known-devices.ts';
import { originOf } from './request-guards.ts';
import { ADDRESS_HEADER } from './sign-in-parts.ts';

const PASSED_ON = ['cookie', 'origin', 'user-agent', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'] as const;

/** Headers for the library. The address is the one that the listener trusts. */
export function betterAuthHeaders(request: FastifyRequest, configured: string | null): Headers {
  const headers = new Headers({
    [ADDRESS_HEADER]: clientAddress(request),
    host: new URL(originOf(request, configured)).host,
  });
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

/** The request for the library; `body` is null for a GET. */
export function betterAuthRequest({ origin }: Portal, request: FastifyRequest, body: object | null): Request {
  const headers = betterAuthHeaders(request, origin);
  const address = new URL(originOf(request, origin));
  // The request target may name another host.
  const { pathname, search } = new URL(request.url, address);
  Object.assign(address, { pathname, search });
  if (body === null) return new Request(address, { headers });
  headers.set('content-type', 'application/json');
  return new Request(address, { method: 'POST', headers, body: JSON.stringify(body) });
}

/**
 * Passes the request to the library, and reports the person whose session it opened, if any. Throws Refusal if the
 * library refuses.
 */
export async function pass(
  { people }: Pick<Portal, 'people'>,
  exchange: Exchange,
  library: BetterAuth,
  request: Request,
  onSession: (person: KnownPerson) => void = () => {},
): Promise<Answer> {
  const response = await people.timedFor(exchange.times, () => library.handler(request));
  exchange.reply.header('Set-Cookie', response.headers.getSetCookie());
  const text = await response.text();
  const location = response.headers.get('location');
  if (response.status >= 300 && response.status < 400 && location !== null)
    return { status: response.status, body: null, headers: { Location: location } };
  const value = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  if (response.ok) {
    // The session token is only set as a cookie, so that scripts cannot read it.
    const { token, user, ...rest } = value;
    if (typeof token === 'string') onSession(user as KnownPerson);
    return json(rest);
  }
  throw refusalOf(response.status, value.code);
}
