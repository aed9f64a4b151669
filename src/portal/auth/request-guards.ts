// Portal: accepts only requests of the portal's own pages, with JSON bodies of limited size.
import type { FastifyRequest } from 'fastify';
import { Refusal, refuse, refuseParameter } from '#core/errors.ts';
import { isJsonObject } from '#core/json-object.ts';
import { decodeUtf8, readBody, requireJson } from '#http/body.ts';

/** The portal's origin as this request sees it. */
export function originOf(request: FastifyRequest, configured: string | null): string {
  return configured ?? URL.parse(`http://${request.headers.host}`)?.origin ?? 'http://localhost';
}

/**
 * Throws Refusal `cross_site_request` unless a page of the portal sent the request, according to headers that browsers
 * set and pages cannot change. The second defence besides `SameSite` cookies; the third is that bodies are JSON, which
 * forms cannot send.
 */
export function requireSameOrigin(request: FastifyRequest, configured: string | null): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin') throw new Refusal('cross_site_request');
  if (origin === undefined || !isOwn(origin, request, configured)) throw new Refusal('cross_site_request');
}

function isOwn(origin: string, request: FastifyRequest, configured: string | null): boolean {
  if (configured !== null) return origin === configured;
  // Without a configured origin, the host that the browser used counts as the portal's.
  return URL.parse(origin)?.host === request.headers.host;
}

/** The body as a JSON object. Throws Refusal `unsupported_media_type`, `payload_too_large` or `invalid_body`. */
export async function readObject(request: FastifyRequest, maxBytes: number): Promise<Record<string, unknown>> {
  requireJson(request.headers);
  const text = decodeUtf8(await readBody(request.raw, maxBytes));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse('invalid_body', 'The body is not valid JSON.');
  }
  return isJsonObject(value) ? value : refuse('invalid_body', 'The body is a JSON object.');
}

/** A member of the body that is a non-empty string. Throws Refusal `invalid_parameter`. */
export function textOf(body: Record<string, unknown>, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '') return value;
  refuseParameter(name, `"${name}" is required and a text.`);
}
