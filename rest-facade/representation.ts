// REST facade: the final response to a request: stamped with the present time, or "not modified".
import { toTimestamp } from '#core/timestamps.ts';
import type { FoundAdmission } from '#gateway/admission/admission-cache.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { matches } from './etag.ts';
import type { CachedResponse } from './response-cache.ts';
import type { Route } from './routes/route.ts';

/** What precedes the body. */
export type Representation = Pick<CachedResponse, 'etag' | 'link' | 'disclosure'>;

export function represent(exchange: Exchange, { etag, link }: Representation, body: () => Answer['body']): Answer {
  exchange.headers.ETag = etag;
  exchange.headers['Cache-Control'] = 'private, no-cache';
  if (link !== undefined) exchange.headers.Link = link;
  const unmodified = matches(exchange.request.headers['if-none-match'], etag);
  return unmodified ? { status: 304, body: null } : { status: 200, body: body() };
}

/** The cached body with the time of this request. All timestamps have the same length. */
export function stamped(
  { body, stampAt }: CachedResponse,
  route: Route,
  { moment, horizon }: Pick<FoundAdmission<CachedResponse>, 'moment' | 'horizon'>,
): Answer['body'] {
  if (stampAt === null) return body;
  const stamp = route.stamp === 'horizon' ? horizon : toTimestamp(Math.floor(moment.instant * 1000));
  if (stamp === null) throw new Error('the response carries an instant that was not asked for');
  return [body.subarray(0, stampAt), Buffer.from(stamp, 'latin1'), body.subarray(stampAt + stamp.length)];
}
