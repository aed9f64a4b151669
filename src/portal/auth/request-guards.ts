// Portal: what may come in: requests that the portal's own pages sent, with bodies of JSON and of bounded size.
import type { FastifyRequest } from 'fastify';
import { Refusal, refuse, refuseParameter } from '#core/errors.ts';
import { decodeUtf8, readBody, requireJson } from '#http/body.ts';

/** The origin under which this request knows the portal. */
export function originOf(request: FastifyRequest, configured: string | null): string {
  return configured ?? URL.parse(`http://${request.headers.host}`)?.origin ?? 'http://localhost';
}

/**
 * Throws Refusal `cross_site_request` unless a page of the portal itself sent this: browsers say where a request that
 * may change something comes from, and let no page say otherwise. With `SameSite` cookies and JSON bodies, which a
 * form cannot send, there are three locks on the same door.
 */
export function requireSameOrigin(request: FastifyRequest, configured: string | null): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin') throw new Refusal('cross_site_request');
  if (origin === undefined || !isOwn(origin, request, configured)) throw new Refusal('cross_site_request');
}

function isOwn(origin: string, request: FastifyRequest, configured: string | null): boolean {
  if (configured !== null) return origin === configured;
  // Without a name of its own the portal goes by the one that the browser used for it.
  return URL.parse(origin)?.host === request.headers.host;
}

/** The body, a JSON object. Throws Refusal `unsupported_media_type`, `payload_too_large`, `invalid_body`. */
export async function readObject(request: FastifyRequest, maxBytes: number): Promise<Record<string, unknown>> {
  requireJson(request.headers['content-type']);
  const text = decodeUtf8(await readBody(request.raw, maxBytes));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse('invalid_body', 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse('invalid_body', 'The body is a JSON object.');
  return value as Record<string, unknown>;
}

/** A member of the body that is a text. Throws Refusal `invalid_parameter`. */
export function textOf(body: Record<string, unknown>, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '') return value;
  refuseParameter(name, `"${name}" is required and a text.`);
}
