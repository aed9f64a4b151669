// REST facade, OpenAPI: response headers, and the responses that have them.
import { idPattern } from '#core/ids.ts';
import { VERSION_HEADER } from '#versions/negotiate.ts';
import { CLIENT_ID } from '../examples.ts';
import type { JsonSchema } from './json-schema.ts';

const integer = (description: string, example: number): JsonSchema => ({
  description,
  schema: { type: 'integer' },
  example,
});
const text = (description: string, example: string, schema: JsonSchema = {}): JsonSchema => ({
  description,
  schema: { type: 'string', ...schema },
  example,
});

export const headers: Record<string, JsonSchema> = {
  'X-Request-Id': text(
    'Identifies this answer; quote it to support. Errors of the portfolio API repeat it as `error.request_id`.',
    'req_01KCZ7Q0V3M4N5P6R7S8T9V0W1',
    { pattern: idPattern('request') },
  ),
  [VERSION_HEADER]: text('The version served, where one was resolved.', '2026-01-15', { format: 'date' }),
  'X-RateLimit-Limit': integer(
    'Requests per 60 seconds that the limit allows; of two limits, the one with less remaining.',
    1000,
  ),
  'X-RateLimit-Remaining': integer('Requests left in the current window.', 987),
  'X-RateLimit-Reset': integer(
    'Unix time in whole seconds, rounded up, at which counted requests begin to leave the window.',
    1_769_000_060,
  ),
  'RateLimit-Policy': text(
    'The limit, after the IETF draft: its name, quota and window in seconds. Where the firm has a limit for all its keys, that is told too.',
    '"key";q=1000;w=60',
  ),
  RateLimit: text('Where the caller stands, after the IETF draft: remaining requests, seconds.', '"key";r=987;t=42'),
  'Retry-After': integer('Seconds after which to try again.', 7),
  ETag: text(
    'Weak validator of the representation; send it back as `If-None-Match`.',
    'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  ),
  'Cache-Control': text(
    '`private, no-cache` where there is an `ETag`, `private, no-store` elsewhere.',
    'private, no-cache',
    { enum: ['private, no-cache', 'private, no-store'] },
  ),
  Link: text(
    '`first`, `prev` and `last` by page number, `next` by cursor; targets are paths of this host.',
    `</api/v1/assets?client_id=${CLIENT_ID}&page=1>; rel="first"`,
  ),
  'WWW-Authenticate': text('The scheme to authenticate with.', 'Bearer'),
  Allow: text('The methods that the path supports.', 'GET, HEAD'),
  Deprecation: text('Since when the version is deprecated (RFC 9745); only on deprecated versions.', '@1798761600'),
  Sunset: text('When the version ends (RFC 8594); only on deprecated versions.', 'Fri, 01 Jan 2027 00:00:00 GMT'),
};

const LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

const COMMON = ['X-Request-Id', ...LIMIT_HEADERS, 'Cache-Control'];
const VERSIONED = [VERSION_HEADER, 'Deprecation', 'Sunset'];

const ERROR_HEADERS: Readonly<Record<number, string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The `headers` of a response, as references to the components. */
export function headersFor(...names: string[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers that only refusals of some status have. */
export const refusalHeaders = headersFor(...Object.values(ERROR_HEADERS).flat());

export const portfolioHeaders = (paged: boolean): Record<string, JsonSchema> =>
  headersFor(...COMMON, 'ETag', ...VERSIONED, ...(paged ? ['Link'] : []));

/** Errors before the version is resolved lack its headers. */
export const portfolioErrorHeaders = (status: number): Record<string, JsonSchema> =>
  headersFor(...COMMON, ...VERSIONED, ...(ERROR_HEADERS[status] ?? []));

export const plantHeaders = (status = 200): Record<string, JsonSchema> =>
  headersFor(...COMMON, ...(ERROR_HEADERS[status] ?? []));
