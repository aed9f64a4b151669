// REST facade: the parts of a request of area A that can be read without a query to the database.
import type { FastifyRequest } from 'fastify';
import { Refusal } from '#core/errors.ts';
import { isId } from '#core/ids.ts';
import { toRefusal } from '#http/refusals.ts';
import type { Query } from '#versions/change.ts';
import { namedVersion } from '#versions/negotiate.ts';
import { readQuery } from '../query.ts';
import type { CacheKey } from '../response-cache.ts';
import type { Route } from '../routes/route.ts';

export interface ParsedRequest {
  /** The hash of a well-formed key. */
  key: Buffer;
  /** Null if the request names no well-formed client id. */
  clientId: string | null;
  /** A refusal if the query is malformed, or the body too large. */
  query: Query | Refusal;
  registryId: string | undefined;
  version: string | undefined;
  /** The lookup in the response cache; null if the request is certain to be refused. */
  cacheKey: CacheKey | null;
}

interface RequestParts {
  key: Buffer;
  registryId: string | undefined;
  body: Refusal | null;
}

export function parseRequest(
  { headers, url }: FastifyRequest,
  { path }: Route,
  { key, registryId, body }: RequestParts,
): ParsedRequest {
  const query = body ?? lenientQuery(url);
  const version = namedVersion(headers);
  const cacheKey = query instanceof Refusal || version === undefined ? null : { path, registryId, version, query };
  return { key, clientId: namedClient(url, query), query, registryId, version, cacheKey };
}

function lenientQuery(url: string): Query | Refusal {
  try {
    return readQuery(url);
  } catch (error) {
    return toRefusal(error);
  }
}

/** Works for malformed queries, too: the call is recorded for the client in any case. */
function namedClient(url: string, query: Query | Refusal): string | null {
  const named =
    query instanceof Refusal
      ? new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('client_id')
      : query.get('client_id')?.[0];
  return named != null && isId('user', named) ? named : null;
}
