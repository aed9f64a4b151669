// What the response cache keeps: bytes in memory of their own, within its bound.

import { expect, it } from 'vitest';
import { packNumbers } from '#core/disclosure.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { ActiveAdmission } from '#gateway/admission/admission.ts';
import { ResponseCache } from '#rest-facade/response-cache.ts';

const MB = 1_048_576;
const admission = {
  key: { scopes: ALL_SCOPES },
  client: { id: 'USR_1', reportingCurrency: 'USD' },
  grant: { scopes: ALL_SCOPES, filter: { type: 'all' } },
} as unknown as ActiveAdmission;
const asked = (path: string) => ({ path, registryId: undefined, version: '2026-01-15', query: new Map() });
const disclosure = { items: packNumbers([1, 300]), removed: null, scopes: 1, includes: 0 };
const about = { validAsOf: { snapshot: '1:1:', epoch: '1' }, etag: '"1"', link: undefined, endsAt: 0, disclosure };
const STAMP = '2026-01-02T03:04:05.006Z';

/** Keeps a response as a second request for it does. */
function keep(cache: ResponseCache, path: string, text: string, link?: string): void {
  expect(cache.nameToCache(admission, asked(path))).toBeNull();
  const name = cache.nameToCache(admission, asked(path)) ?? '';
  cache.store(name, Buffer.from(text), { ...about, link, carriesStamp: text.includes('as_of') });
}

it.each([0, 1, 300, 4_000, 20_000, 100_000])(
  'is %i bytes of a body, and none of a block shared with others',
  (length) => {
    const cache = new ResponseCache(1);
    keep(cache, '/assets', 'é'.repeat(length / 2));
    const { body, disclosure: kept } = cache.find(admission, asked('/assets')) ?? {};
    expect(body?.toString()).toBe('é'.repeat(length / 2));
    for (const part of [body, kept?.items]) expect(part?.buffer.byteLength).toBe(part?.byteLength);
  },
);

it('counts bodies and links, and is bounded by both', () => {
  const cache = new ResponseCache(1);
  for (let number = 0; number < 100; number++) keep(cache, `/assets/${number}`, 'a'.repeat(10_000), 'b'.repeat(10_000));
  const { bytes, entries } = cache.state();
  expect(bytes).toBeLessThanOrEqual(MB);
  expect(entries).toBeLessThanOrEqual(MB / 20_000);
  expect(entries).toBeGreaterThan(MB / 25_000);
});

it('knows where the instant stands, after all text that looks like it, and keeps no body that lacks one', () => {
  const cache = new ResponseCache(1);
  const text = `{"title":"\\"as_of\\":\\"é","meta":{"as_of":"${STAMP}"}}`;
  keep(cache, '/assets', text);
  const { body, stampAt } = cache.find(admission, asked('/assets')) ?? {};
  expect(body?.toString('utf8', stampAt ?? 0, (stampAt ?? 0) + STAMP.length)).toBe(STAMP);
  const name = cache.nameToCache(admission, asked('/assets')) ?? '';
  const without = new ResponseCache(1);
  without.store(name, Buffer.from('{}'), { ...about, carriesStamp: true });
  expect(without.state().entries).toBe(0);
});
