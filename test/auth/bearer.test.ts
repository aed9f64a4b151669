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
  // A pattern that tries again from each character would need hours for these.
  for (const header of [' '.repeat(1_000_000), `${'a'.repeat(1_000_000)},`, '='.repeat(1_000_000)])
    expect(bearerToken(`Bearer ${header}`)).toBeNull();
});
