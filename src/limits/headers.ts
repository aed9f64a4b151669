// Limits: the response headers that report a limit.

import { type Allowance, strictest } from './limiter.ts';
import { WINDOW_SECONDS } from './sliding-window.ts';

/** Header names as sent. `Retry-After` is only sent where the limit refused, not where no decision was possible. */
export interface LimitHeaders {
  'X-RateLimit-Limit': string;
  'X-RateLimit-Remaining': string;
  'X-RateLimit-Reset': string;
  'RateLimit-Policy': string;
  RateLimit: string;
  'Retry-After'?: string;
}

/**
 * `policies`: the allowances that decided a request, under their names in the headers of the IETF draft. Names are
 * quoted without escaping, so they must be our own. The older headers can only report one limit: the one with the least
 * room.
 */
export function limitHeaders(policies: Readonly<Record<string, Allowance>>): LimitHeaders {
  const named = Object.entries(policies);
  const { limit, remaining, resetAt } = strictest(Object.values(policies));
  const refusing = Object.values(policies).filter((one) => !one.unavailable && !one.admitted && one.remaining === 0);
  const headers: LimitHeaders = {
    'X-RateLimit-Limit': `${limit}`,
    'X-RateLimit-Remaining': `${remaining}`,
    'X-RateLimit-Reset': `${resetAt}`,
    'RateLimit-Policy': named.map(([name, { limit: quota }]) => `"${name}";q=${quota};w=${WINDOW_SECONDS}`).join(', '),
    RateLimit: named.map(([name, one]) => `"${name}";r=${one.remaining};t=${one.retryAfter}`).join(', '),
  };
  if (refusing.length > 0) headers['Retry-After'] = `${strictest(refusing).retryAfter}`;
  return headers;
}
