// REST facade: a response as this request gets it: stamped with the present instant, or "not modified".
import { toTimestamp } from '#core/timestamps.ts';
import type { FoundAdmission } from '#gateway/admission/admission-cache.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { matches } from './etag.ts';
import type { CachedResponse } from './response-cache.ts';
import type { Route } from './routes/route.ts';

/** Stamps are timestamps, which all have the same length. */
const STAMP = '"as_of":"';

/** Where the body says at which instant it was true: after everything that could hold such text as data. */
export function placeOfStamp(body: Buffer): number | null {
  const at = body.lastIndexOf(STAMP);
  return at === -1 ? null : at + STAMP.length;
}

export function represent(
  exchange: Exchange,
  response: CachedResponse,
  route: Route,
  found: Pick<FoundAdmission<CachedResponse>, 'made' | 'moment' | 'horizon'>,
): Answer {
  const { etag, link, body, stampAt } = response;
  exchange.headers.ETag = etag;
  exchange.headers['Cache-Control'] = 'private, no-cache';
  if (link !== undefined) exchange.headers.Link = link;
  if (matches(exchange.request.headers['if-none-match'], etag)) return { status: 304, body: null };
  if (stampAt === null || response !== found.made) return { status: 200, body };
  const stamp = route.stamp === 'horizon' ? found.horizon : toTimestamp(Math.floor(found.moment.instant * 1000));
  if (stamp === null) throw new Error('the response carries an instant that was not asked for');
  const stamped = Buffer.from(body);
  stamped.write(stamp, stampAt, 'latin1');
  return { status: 200, body: stamped };
}
