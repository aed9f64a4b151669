// The Authorization header: one bearer token, or nothing.

import { expect, it } from 'vitest';
import { bearerToken } from '#auth/bearer.ts';

it.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER abc', 'abc'],
  ['Bearer   abc', 'abc'],
  ['Bearer a-b._~+/c==', 'a-b._~+/c=='],
])('%j carries %j', (header, token) => {
  expect(bearerToken(header)).toBe(token);
});

it.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'abc',
  'Basic abc',
  'Bearerabc',
  'Bearer\tabc',
  ' Bearer abc',
  'Bearer abc ',
  'Bearer abc def',
  'Bearer abc, Bearer def',
  'Bearer abc,def',
  'Bearer =',
  'Bearer a=b',
  'Bearer äbc',
])('%j carries none', (header) => {
  expect(bearerToken(header)).toBeNull();
});

it('takes no longer than the header is long', () => {
  const started = performance.now();
  bearerToken(`Bearer ${' '.repeat(1_000_000)}`);
  bearerToken(`Bearer ${'a'.repeat(1_000_000)},`);
  bearerToken(`Bearer ${'='.repeat(1_000_000)}`);
  expect(performance.now() - started).toBeLessThan(1_000);
});
