// Test support: the form of responses of area A, the same for every endpoint.

import { expect } from 'vitest';
import type { Response } from './scenario.ts';

const TYPES: Record<number, string> = {
  401: 'authentication_error',
  403: 'authorization_error',
  404: 'not_found',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
};

/** The whole error response of area A: exactly these members, and the headers of every response. */
export function expectError(response: Response, status: number, code: string, param?: string): void {
  expect({ status: response.status, body: response.body }).toEqual({
    status,
    body: {
      error: {
        type: TYPES[status] ?? 'invalid_request_error',
        code,
        message: expect.stringMatching(/^\p{Lu}.+\.$|^\w+ .+\.$/u),
        ...(param === undefined ? {} : { param }),
        request_id: response.headers.get('x-request-id'),
      },
    },
  });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expect(response.headers.get('etag')).toBeNull();
  expectEveryHeader(response);
}

/** Request id and rate-limit headers, consistent with each other. */
export function expectEveryHeader({ headers }: Response, limit?: number): void {
  expect(headers.get('x-request-id')).toMatch(/^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  const most = Number(headers.get('x-ratelimit-limit'));
  const left = Number(headers.get('x-ratelimit-remaining'));
  expect(most).toBeGreaterThanOrEqual(100);
  if (limit !== undefined) expect(most).toBe(limit);
  expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  expect(left).toBeLessThan(most);
  const policies = listed(headers.get('ratelimit-policy'), /^"([a-z]+)";q=(\d+);w=60$/);
  const states = listed(headers.get('ratelimit'), /^"([a-z]+)";r=(\d+);t=(?:[1-9]|[1-5]\d|60)$/);
  expect(states.map(([name]) => name)).toEqual(policies.map(([name]) => name));
  // The X- headers describe the limit with the least remaining.
  const least = states.findIndex(([, remaining]) => remaining === Math.min(...states.map(([, other]) => other)));
  expect([policies[least]?.[1], states[least]?.[1]]).toEqual([most, left]);
  const reset = Number(headers.get('x-ratelimit-reset'));
  expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/);
  expect(reset - Date.now() / 1000).toBeGreaterThan(-1);
  // Without Redis the window is 64 seconds.
  expect(reset - Date.now() / 1000).toBeLessThanOrEqual(65);
}

function listed(header: string | null, form: RegExp): [name: string, value: number][] {
  return (header ?? '').split(', ').map((item) => {
    expect(item).toMatch(form);
    const [, name = '', value] = form.exec(item) ?? [];
    return [name, Number(value)];
  });
}
