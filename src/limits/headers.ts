// The response headers that tell a client where it stands with its limit.

import type { Allowance } from '#limits/limiter.ts';
import { WINDOW_SECONDS } from '#limits/sliding-window.ts';

/** Header names as they are sent; `Retry-After` only where a request was turned away. */
export interface LimitHeaders {
  'X-RateLimit-Limit': string;
  'X-RateLimit-Remaining': string;
  'X-RateLimit-Reset': string;
  'RateLimit-Policy': string;
  RateLimit: string;
  'Retry-After'?: string;
}

/** `policy` is the name in the IETF draft's headers: one of our own short words, since it is quoted without escaping. */
export function limitHeaders(policy: string, allowance: Allowance): LimitHeaders {
  const { admitted, unavailable, limit, remaining, resetAt, retryAfter } = allowance;
  const headers: LimitHeaders = {
    'X-RateLimit-Limit': `${limit}`,
    'X-RateLimit-Remaining': `${remaining}`,
    'X-RateLimit-Reset': `${resetAt}`,
    'RateLimit-Policy': `"${policy}";q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${policy}";r=${remaining};t=${retryAfter}`,
  };
  if (unavailable || (!admitted && remaining === 0)) headers['Retry-After'] = `${retryAfter}`;
  return headers;
}
