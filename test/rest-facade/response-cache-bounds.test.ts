// The response cache: an entry owns its bytes, and all entries together stay within the bound.

import { expect, it } from 'vitest';
import { packNumbers } from '#core/disclosure.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { ActiveAdmission } from '#gateway/admission/admission.ts';
import { positionOfStamp } from '#rest-facade/etag.ts';
import { ResponseCache } from '#rest-facade/response-cache.ts';

const MB = 1_048_576;
const admission = {
  key: { scopes: ALL_SCOPES },
  client: { id: 'USR_1', reportingCurrency: 'USD' },
  grant: { scopes: ALL_SCOPES, filter: { type: 'all' } },
} as unknown as ActiveAdmission;
const request = (path: string) => ({ path, registryId: undefined, version: '2026-01-15', query: new Map() });
const disclosure = { items: packNumbers([1, 300]), removed: null, scopes: 1, includes: 0 };
const metadata = { validAsOf: { snapshot: '1:1:', epoch: '1' }, etag: '"1"', link: undefined, endsAt: 0, disclosure };
const STAMP = '2026-01-02T03:04:05.006Z';

/** Caches a response in the way of its second request: the first one only registers the name. */
function cacheResponse(cache: ResponseCache, path: string, text: string, link?: string): void {
  expect(cache.nameToCache(admission, request(path))).toBeNull();
  const name = cache.nameToCache(admission, request(path)) ?? '';
  const body = Buffer.from(text);
  cache.store(name, { ...metadata, link, body, stampAt: positionOfStamp(body) });
}

it.each([0, 1, 300, 4_000, 20_000, 100_000])(
  'a cached body of %i bytes and its disclosure have buffers of their own',
  (length) => {
    const cache = new ResponseCache(1);
    cacheResponse(cache, '/assets', 'é'.repeat(length / 2));
    const { body, disclosure: cachedDisclosure } = cache.find(admission, request('/assets')) ?? {};
    expect(body?.toString()).toBe('é'.repeat(length / 2));
    for (const part of [body, cachedDisclosure?.items]) expect(part?.buffer.byteLength).toBe(part?.byteLength);
  },
);

it('the bound includes bodies and links', () => {
  const cache = new ResponseCache(1);
  for (let number = 0; number < 100; number++)
    cacheResponse(cache, `/assets/${number}`, 'a'.repeat(10_000), 'b'.repeat(10_000));
  const { bytes, entries } = cache.state();
  expect(bytes).toBeLessThanOrEqual(MB);
  expect(entries).toBeLessThanOrEqual(MB / 20_000);
  expect(entries).toBeGreaterThan(MB / 25_000);
});

it('the stamp is found after similar text, and only where there is one', () => {
  const cache = new ResponseCache(1);
  const text = `{"title":"\\"as_of\\":\\"é","meta":{"as_of":"${STAMP}"}}`;
  cacheResponse(cache, '/assets', text);
  const { body, stampAt } = cache.find(admission, request('/assets')) ?? {};
  expect(body?.toString('utf8', stampAt ?? 0, (stampAt ?? 0) + STAMP.length)).toBe(STAMP);
  expect(positionOfStamp(Buffer.from('{}'))).toBeNull();
});
