// Guarantee: a request with the current tag gets 304 with the headers of the 200, and only if the partner may read the
// resource now.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { changeGrant, revokeGrant } from '#repositories/grants/grants.ts';
import { rotateKey } from '#repositories/keys/keys.ts';
import { expectError, expectEveryHeader } from '#test/support/answers.ts';
import { backdate, changesSince, syncPoint } from '#test/support/delta.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { raw } from '#test/support/raw.ts';
import { call, furnish, makeItem, type Response } from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let gateway: TestGateway;
let partner: Partner;
let paths: string[];

beforeAll(async () => {
  gateway = await startGateway({
    versions: [
      { date: '2026-01-15', changes: [] },
      { date: '2026-06-01', changes: [] },
    ],
  });
  partner = await makePartner(gateway);
  for (let count = 0; count < 3; count++) {
    const item = await makeItem(gateway.database, partner.client);
    await furnish(gateway.database, partner.client, item);
    const asset = `/assets/${item.registryId}`;
    paths = ['/assets?page_size=2', asset, `${asset}/valuations`, `${asset}/documents`, '/portfolio/summary'];
  }
  await backdate(gateway, partner);
  paths.push(`/assets?updated_since=${await syncPoint(partner)}`);
});
afterAll(() => gateway.stop());

const ifNoneMatch = (path: string, header: string) => partner.get(path, { headers: { 'If-None-Match': header } });

const tagOf = async (path: string) => (await partner.get(path)).headers.get('etag') ?? '';

describe('every 200', () => {
  it('has a weak tag, and may be cached if it is revalidated each time', async () => {
    for (const path of paths) {
      const { headers } = await partner.get(path);
      expect(headers.get('etag')).toMatch(/^W\/"[\w-]{20,}"$/);
      expect(headers.get('cache-control')).toBe('private, no-cache');
    }
  });

  it('has the same tag while nothing changes, although as_of advances', async () => {
    for (const path of paths) {
      const [one, two] = [await partner.get(path), await partner.get(path)];
      expect(two.headers.get('etag')).toBe(one.headers.get('etag'));
    }
    // Two responses may be of the same millisecond.
    const asOf = async () => (await partner.get('/portfolio/summary')).body.data.as_of;
    const first = await asOf();
    await expect.poll(asOf).not.toBe(first);
  });

  it('has a different tag for a different representation', async () => {
    const tags = await Promise.all([...paths, '/assets?page_size=1', '/assets'].map((path) => tagOf(path)));
    expect(new Set(tags).size).toBe(tags.length);
  });
});

describe('If-None-Match', () => {
  it('with the tag is 304 without a body and with the headers of the 200', async () => {
    const repeated = ['etag', 'cache-control', 'link', 'x-service-version'];
    for (const path of paths) {
      const ok = await partner.get(path);
      const same = await ifNoneMatch(path, ok.headers.get('etag') ?? '');
      expect([same.status, same.text]).toEqual([304, '']);
      for (const name of repeated) expect(same.headers.get(name)).toBe(ok.headers.get(name));
      expectEveryHeader(same, 20_000);
    }
  });

  it('is compared weakly, may be a list, and * matches any representation', async () => {
    const path = '/portfolio/summary';
    const tag = await tagOf(path);
    const strong = tag.slice(2);
    for (const header of [tag, strong, `"x", ${tag}`, `${strong},"x"`, `W/"a" , ${tag} , "b"`, '*', ' * '])
      expect([(await ifNoneMatch(path, header)).status, header]).toEqual([304, header]);
    for (const header of ['"x"', 'W/"x"', strong.slice(1, -1), `"${tag}"`, '**', tag.toUpperCase(), '""'])
      expect([(await ifNoneMatch(path, header)).status, header]).toEqual([200, header]);
  });

  it('applies to HEAD as well', async () => {
    const headers = { 'If-None-Match': await tagOf('/portfolio/summary') };
    expect((await partner.get('/portfolio/summary', { method: 'HEAD', headers })).status).toBe(304);
  });

  it('leads to a 304 without Content-Length and Transfer-Encoding', async () => {
    const head = `GET ${pathFor(partner.client.id, '/assets')} HTTP/1.1\r\nHost: a\r\nConnection: close`;
    const { secret } = partner.key;
    const response = await raw(
      gateway.url,
      `${head}\r\nAuthorization: Bearer ${secret}\r\nX-Service-Version: 2026-01-15\r\nIf-None-Match: *\r\n\r\n`,
    );
    expect([response.status, response.text]).toEqual([304, '']);
    expect(response.headers.get('content-length')).toBeNull();
    expect(response.headers.get('transfer-encoding')).toBeNull();
  });
});

describe('a change', () => {
  it('of a visible field changes the tag, and of a P0 field does not', async () => {
    const { get, client } = await makePartner(gateway);
    const item = await makeItem(gateway.database, client);
    const path = `/assets/${item.registryId}`;
    const tag = (await get(path)).headers.get('etag') ?? '';
    await gateway.database.query({ text: "update items set internal_notes = 'x' where id = $1", values: [item.id] });
    expect((await get(path, { headers: { 'If-None-Match': tag } })).status).toBe(304);
    await gateway.database.query({ text: "update items set notes = 'x' where id = $1", values: [item.id] });
    expect((await get(path, { headers: { 'If-None-Match': tag } })).status).toBe(200);
  });

  it('of the removals of a delta changes the tag', async () => {
    const gone = await makeItem(gateway.database, partner.client);
    const since = await syncPoint(partner);
    const before = await changesSince(partner, since);
    await gateway.database.query({ text: 'delete from items where id = $1', values: [gone.id] });
    expect((await changesSince(partner, since)).headers.get('etag')).not.toBe(before.headers.get('etag'));
  });
});

describe('the tag', () => {
  it('does not depend on the key: it survives a rotation', async () => {
    const { key, client } = await makePartner(gateway);
    const url = gateway.url + pathFor(client.id, '/assets');
    const tag = (await call(url, key.secret)).headers.get('etag') ?? '';
    const { text, ...secret } = makeKeySecret('production');
    await rotateKey(gateway.database, key.id, { secret }, operator, { maxKeys: 100, lifetimeDays: null });
    expect((await call(url, text, { headers: { 'If-None-Match': tag } })).status).toBe(304);
  });

  it('depends on the version', async () => {
    const tag = await tagOf('/portfolio/summary');
    const later = await partner.get('/portfolio/summary', { version: '2026-06-01', headers: { 'If-None-Match': tag } });
    expect(later.status).toBe(200);
    expect(later.headers.get('etag')).not.toBe(tag);
  });

  it('of a page whose cursor is no longer accepted does not match', async () => {
    const path = '/assets?updated_since=2020-01-01T00:00:00Z&page_size=1';
    const first = await gateway.database.transaction(async (sql) => {
      // This transaction writes and is still open when the epoch ends, as in a crash of the database.
      await sql.query({ text: 'select pg_current_xact_id()' });
      await gateway.database.query({ text: 'delete from database_run' });
      return partner.get(path);
    });
    const next = ({ body }: Response) => partner.get(`${path}&cursor=${body.pagination.next_cursor}`);
    expectError(await next(first), 400, 'invalid_parameter', 'cursor');
    let again: Response;
    let second: Response;
    // Cursors are also refused while older transactions of the cluster's other databases are open.
    do {
      again = await ifNoneMatch(path, first.headers.get('etag') ?? '');
      expect(again.status).toBe(200);
      second = await next(again);
    } while (second.status === 400);
    const same = await ifNoneMatch(
      `${path}&cursor=${again.body.pagination.next_cursor}`,
      second.headers.get('etag') ?? '',
    );
    expect([second.status, same.status]).toEqual([200, 304]);
  });

  it("depends on the grant's view", async () => {
    const { key, client, grant, get } = await makePartner(gateway);
    const { registryId } = await makeItem(gateway.database, client);
    const tag = (await get(`/assets/${registryId}`)).headers.get('etag') ?? '';
    await changeGrant(gateway.database, grant.id, { scopes: 1 }, operator);
    const url = gateway.url + pathFor(client.id, `/assets/${registryId}`);
    expect((await call(url, key.secret, { headers: { 'If-None-Match': tag } })).status).toBe(200);
  });
});

describe('authorization comes first', () => {
  it('a matching tag does not bypass a revoked grant, a missing scope or a filter', async () => {
    const owner = await makePartner(gateway);
    const item = await makeItem(gateway.database, owner.client);
    const path = `/assets/${item.registryId}/documents`;
    const tag = (await owner.get(path)).headers.get('etag') ?? '';
    const again = (header: string) => owner.get(path, { headers: { 'If-None-Match': header } });
    expect((await again(tag)).status).toBe(304);
    for (const [terms, code] of [
      [{ filter: { type: 'category' as const, categories: ['PM'] } }, 'asset_not_in_grant'],
      [{ scopes: 1 }, 'insufficient_scope'],
    ] as const) {
      await changeGrant(gateway.database, owner.grant.id, structuredClone(terms) as never, operator);
      expectError(await again(tag), 403, code);
      expectError(await again('*'), 403, code);
    }
    await revokeGrant(gateway.database, owner.grant.id, operator);
    expectError(await again('*'), 403, 'grant_revoked');
    await gateway.database.query({ text: 'delete from items where id = $1', values: [item.id] });
    expectError(
      await call(gateway.url + pathFor(owner.client.id, path), null, { headers: { 'If-None-Match': '*' } }),
      401,
      'invalid_api_key',
    );
  });

  it('errors have no tag, and * does not match them', async () => {
    expectError(await ifNoneMatch('/assets?page=0', '*'), 400, 'invalid_parameter', 'page');
  });
});
