// Reading the bearer token of an Authorization header.

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
])('%j carries no token', (header) => {
  expect(bearerToken(header)).toBeNull();
});

it('the time to read a header is linear in its length', () => {
  // A pattern that backtracks would need hours for these.
  for (const header of [' '.repeat(1_000_000), `${'a'.repeat(1_000_000)},`, '='.repeat(1_000_000)])
    expect(bearerToken(`Bearer ${header}`)).toBeNull();
});
