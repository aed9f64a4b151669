// The response headers that tell a client where it stands with its limit.

import { type Allowance, strictest } from './limiter.ts';
import { WINDOW_SECONDS } from './sliding-window.ts';

/** Header names as they are sent; `Retry-After` only where the limit refused a request, not where nobody could decide. */
export interface LimitHeaders {
  'X-RateLimit-Limit': string;
  'X-RateLimit-Remaining': string;
  'X-RateLimit-Reset': string;
  'RateLimit-Policy': string;
  RateLimit: string;
  'Retry-After'?: string;
}

/**
 * `policies`: what one request was decided by, under the names in the IETF draft's headers, which are our own short words,
 * since they are quoted without escaping. The older headers know one limit, and tell the one that has less room.
 */
export function limitHeaders(policies: Readonly<Record<string, Allowance>>): LimitHeaders {
  const named = Object.entries(policies);
  const { limit, remaining, resetAt } = strictest(Object.values(policies));
  const refusing = Object.values(policies).filter((one) => !one.unavailable && !one.admitted && one.remaining === 0);
  const headers: LimitHeaders = {
    'X-RateLimit-Limit': `${limit}`,
    'X-RateLimit-Remaining': `${remaining}`,
    'X-RateLimit-Reset': `${resetAt}`,
    'RateLimit-Policy': named.map(([name, { limit: most }]) => `"${name}";q=${most};w=${WINDOW_SECONDS}`).join(', '),
    RateLimit: named.map(([name, one]) => `"${name}";r=${one.remaining};t=${one.retryAfter}`).join(', '),
  };
  if (refusing.length > 0) headers['Retry-After'] = `${strictest(refusing).retryAfter}`;
  return headers;
}
