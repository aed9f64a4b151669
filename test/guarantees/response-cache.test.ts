// Guarantee: gateways with a response cache return what a gateway without one returns, whatever changes in between.

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Firm } from '#repositories/firms.ts';
import { changeGrant, grantWithoutRequest, revokeGrant } from '#repositories/grants/grants.ts';
import { rotateKey } from '#repositories/keys/keys.ts';
import { beforeEnd } from '#test/support/before-end.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { plainPaths, samplePaths } from '#test/support/sample-requests.ts';
import { call, furnish, type Item, makeFirm, makeItem, makeKey, type Response } from '#test/support/scenario.ts';
import { requestStatements } from '#test/support/statements.ts';
import { Chance } from './chance.ts';
import { STEPS, type Stage } from './portfolio-steps.ts';

const RANDOM_STEPS = 10_000;
const operator = { kind: 'operator', id: 'test' } as const;

let keeping: TestGateway[];
let plain: TestGateway;
beforeAll(async () => {
  const first = await startGateway();
  keeping = [first, await startGateway({ databaseUrl: first.databaseUrl })];
  plain = await startGateway({ databaseUrl: first.databaseUrl, env: { RESPONSE_CACHE_MB: '0' } });
});
afterAll(async () => {
  for (const gateway of [plain, ...keeping].reverse()) if (gateway !== keeping[0]) await gateway.stop();
  await keeping[0]?.stop();
});

/** Without the parts that may differ between two responses to the same request. */
const VARYING = /"as_of":"[^"]*"|"request_id":"[^"]*"/g;
const comparable = ({ status, text, headers }: Response) => ({
  status,
  text: text.replace(VARYING, ''),
  etag: headers.get('etag'),
  link: headers.get('link'),
  cacheControl: headers.get('cache-control'),
});

const ask = (gateway: TestGateway, secret: string, path: string, tag?: string) =>
  call(gateway.url + path, secret, tag === undefined ? {} : { headers: { 'If-None-Match': tag } });

const first = (): TestGateway => keeping[0] as TestGateway;

const namesDuring = async (work: () => Promise<unknown>) =>
  (await requestStatements(first().database, work)).map(({ name }) => name);

describe('a cached response', () => {
  let firm: Firm;
  let partner: Partner;
  let item: Item;
  beforeAll(async () => {
    firm = await makeFirm(first().database);
    partner = await makePartner(first(), { key: await makeKey(first().database, firm) });
    item = await makeItem(first().database, partner.client);
    await furnish(first().database, partner.client, item);
  });
  const path = (rest: string) => pathFor(partner.client.id, rest);
  const get = (rest: string, secret = partner.key.secret) => ask(first(), secret, path(rest));

  it('exists for every endpoint whose response depends on view, version, URL and portfolio', async () => {
    const paths = ['/assets?include=valuations,documents&page_size=5', '/assets?min_value=1&category=WT'];
    for (const each of [...paths, ...plainPaths(item.registryId)]) {
      await get(each);
      const once = await get(each);
      expect(once.status, each).toBe(200);
      let again = once;
      const names = await namesDuring(async () => {
        again = await get(each);
      });
      expect(names, each).toEqual(['changes']);
      expect(comparable(again), each).toEqual(comparable(once));
    }
  });

  it('is used for parameters in another order, and for HEAD', async () => {
    const client = `client_id=${partner.client.id}`;
    const one = `/api/v1/assets?page_size=7&${client}&category=WT`;
    const other = `/api/v1/assets?category=WT&page_size=7&${client}`;
    await ask(first(), partner.key.secret, one);
    const before = await ask(first(), partner.key.secret, one);
    let after = before;
    const names = await namesDuring(async () => {
      after = await ask(first(), partner.key.secret, other);
    });
    expect(names).toEqual(['changes']);
    expect(comparable(after)).toEqual(comparable(before));
    const head = await call(first().url + other, partner.key.secret, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', before.headers.get('etag')]);
    expect(head.headers.get('content-length')).toBe(before.headers.get('content-length'));
  });

  it('is used for another key of the firm with an equal view, and for none with a different one', async () => {
    const { key } = await makePartner(first(), { key: await makeKey(first().database, firm), client: partner.client });
    const less = await makePartner(first(), { client: partner.client, scopes: 3 });
    await get('/assets?page_size=3');
    const whole = await get('/assets?page_size=3');
    let shared = whole;
    const names = await namesDuring(async () => {
      shared = await get('/assets?page_size=3', key.secret);
    });
    expect(names).not.toContain('assets page');
    expect(comparable(shared)).toEqual(comparable(whole));
    expect((await get('/assets?page_size=3', less.key.secret)).body.data[0].description).toBeUndefined();
  });

  it('is not used for another firm, which would learn from its speed that somebody else reads the client', async () => {
    const stranger = await makePartner(first(), { client: partner.client });
    const asked = '/assets?page_size=4';
    await get(asked);
    const own = await get(asked);
    for (let count = 1; count <= 2; count++) {
      let other = own;
      const names = await namesDuring(async () => {
        other = await get(asked, stranger.key.secret);
      });
      expect(names, `request ${count}`).toContain('assets page');
      expect(comparable(other)).toEqual(comparable(own));
    }
    expect(await namesDuring(() => get(asked, stranger.key.secret))).toEqual(['changes']);
  });

  it('contains the instant of the request, and has the same tag', async () => {
    for (const [each, stampOf] of [
      ['/assets', (body: Response['body']) => body.sync.as_of],
      ['/portfolio/summary', (body: Response['body']) => body.data.as_of],
    ] as const) {
      await get(each);
      const one = await get(each);
      await sleep(5);
      const two = await get(each);
      expect(stampOf(two.body) > stampOf(one.body), each).toBe(true);
      expect(two.headers.get('etag')).toBe(one.headers.get('etag'));
    }
  });

  it('expires with a share link, between two conditional requests', async () => {
    const { conditional, activeOf, end } = await beforeEnd(async (soon) => {
      const [id, end] = [newId('share_link'), soon()];
      await first().database.query({
        text: `insert into share_links (id, item_id, label, expires_at) values ($1, $2, 'Brief', $3)`,
        values: [id, item.id, end.toISOString()],
      });
      const activeOf = ({ body }: Response) =>
        body.data.estate.share_links.find((link: { id: string }) => link.id === id).active;
      await get(`/assets/${item.registryId}`);
      const before = await get(`/assets/${item.registryId}`);
      expect(activeOf(before)).toBe(true);
      const tag = before.headers.get('etag') ?? '';
      const conditional = () => ask(first(), partner.key.secret, path(`/assets/${item.registryId}`), tag);
      expect((await conditional()).status).toBe(304);
      return { conditional, activeOf, end };
    });
    await sleep(end.getTime() - Date.now() + 100);
    const after = await conditional();
    expect(after.status).toBe(200);
    expect(activeOf(after)).toBe(false);
  });

  it('does not exist for deltas', async () => {
    const since = '/assets?updated_since=2026-01-01T00:00:00Z';
    for (let count = 0; count < 2; count++) await get(since);
    expect(await namesDuring(() => get(since))).toContain('assets page');
  });

  it('is within the bound in bytes', async () => {
    const small = await startGateway({ databaseUrl: first().databaseUrl, env: { RESPONSE_CACHE_MB: '1' } });
    try {
      for (let size = 1; size <= 100; size += 0.5) {
        const answer = await ask(small, partner.key.secret, path(`/assets?page_size=${Math.floor(size)}`));
        expect(answer.status).toBe(200);
      }
      expect((await ask(small, partner.key.secret, path('/assets?page_size=1'))).status).toBe(200);
    } finally {
      await small.stop();
    }
  });
});

const chance = new Chance();

/** With the key's latest secret, which changes with each rotation. */
interface Actor {
  partner: Partner;
  keyId: string;
  secret: string;
}

const TERMS = [
  { scopes: ALL_SCOPES, filter: { type: 'all' } },
  { scopes: 3, filter: { type: 'all' } },
  { scopes: ALL_SCOPES, filter: { type: 'category', categories: ['AR', 'WT'] } },
  { scopes: 33, filter: { type: 'category', categories: ['GM'] } },
] as const;

/** Changes grants, keys or plans. */
async function changeAccess(actor: Actor): Promise<void> {
  const { database } = first();
  const { partner } = actor;
  const terms = structuredClone(chance.pick(TERMS)) as never;
  const active = await database.query<{ id: string }>({
    text: "select id from grants where lineage_id = $1 and client_id = $2 and status = 'active'",
    values: [partner.key.id, partner.client.id],
  });
  const grant = active[0]?.id;
  switch (chance.below(7)) {
    case 0:
      if (grant !== undefined) await revokeGrant(database, grant, operator);
      return;
    case 1: {
      const { text, ...secret } = makeKeySecret('production');
      const { successor } = await rotateKey(database, actor.keyId, { secret }, operator, {
        maxKeys: 100,
        lifetimeDays: null,
      });
      Object.assign(actor, { keyId: successor.id, secret: text });
      return;
    }
    case 2:
      await database.query({
        text: 'update api_keys set scopes = $2 where id = $1',
        values: [actor.keyId, chance.pick([127, 127, 19])],
      });
      return;
    case 3:
      await database.query({
        text: 'update firms set plan_active = $2 where id = $1',
        values: [partner.key.firmId, chance.likely(0.8)],
      });
      return;
    default:
      if (grant !== undefined) await changeGrant(database, grant, terms, operator);
      else
        await grantWithoutRequest(
          database,
          { keyId: actor.keyId, clientId: partner.client.id, expiresAt: null, ...(terms as object) } as never,
          operator,
        );
  }
}

/** Sets something that the clock will change soon. */
async function letExpire(clientId: string): Promise<void> {
  await first().database.query({
    text: `insert into share_links (id, item_id, label, expires_at)
      select $2, id, 'Brief', now() + $3 * interval '1 millisecond' from items where client_id = $1 order by id limit 1`,
    values: [clientId, newId('share_link'), 20 + chance.below(500)],
  });
}

describe(`seed ${chance.seed}`, () => {
  it(`${RANDOM_STEPS} steps of writes, grants, keys, clock and requests on two gateways`, {
    timeout: 2_700_000,
  }, async () => {
    const { database } = first();
    const one = await makePartner(first());
    const partners = [one, await makePartner(first(), { client: one.client }), await makePartner(first())];
    const actors = partners.map((partner): Actor => ({ partner, keyId: partner.key.id, secret: partner.key.secret }));
    const stages = new Map<string, Stage>();
    const items: Item[] = [];
    for (const { client } of [one, partners[2] as Partner]) {
      const collections: string[] = [];
      for (const category of ['WT', 'AR', 'GM', 'OT']) {
        const item = await makeItem(database, client, { category });
        items.push(item);
        collections.push((await furnish(database, client, item)).collectionId);
      }
      stages.set(client.id, { clientId: client.id, collections });
    }
    const paths = [
      ...['/assets?page_size=2', '/assets?category=WT,AR', '/assets?min_value=5&max_value=20000'],
      ...['/assets?page_size=0', '/assets?unknown=1'],
      ...new Set(items.flatMap(({ registryId }) => samplePaths(registryId))),
    ];
    const tags = new Map<string, string>();
    let requests = 0;
    let unmodified = 0;
    for (let step = 0; step < RANDOM_STEPS; step++) {
      const actor = chance.pick(actors);
      const { client } = actor.partner;
      const kind = chance.next();
      if (kind < 0.1) {
        const change = chance.pick(STEPS);
        await database.transaction((sql) => change(sql, stages.get(client.id) as Stage, chance));
        continue;
      }
      if (kind < 0.12) {
        await letExpire(client.id);
        continue;
      }
      if (kind < 0.15) {
        await changeAccess(actor);
        continue;
      }
      const path = pathFor(client.id, chance.pick(paths));
      const place = `${actor.partner.key.id}${path}`;
      const tag = chance.likely(0.4) ? tags.get(place) : undefined;
      const where = `seed ${chance.seed}, step ${step}, ${path}, ${tag}`;
      const keeper = chance.pick(keeping);
      let wanted = await ask(plain, actor.secret, path, tag);
      let told = await ask(keeper, actor.secret, path, tag);
      while (!alike(told, wanted)) {
        // The clock may have changed it between the two requests, so it is requested once more; a difference that
        // remains is a fault.
        const before = wanted;
        wanted = await ask(plain, actor.secret, path, tag);
        if (alike(before, wanted)) break;
        told = await ask(keeper, actor.secret, path, tag);
      }
      expect(withoutCursor(comparable(told)), where).toEqual(withoutCursor(comparable(wanted)));
      requests += 1;
      if (told.status === 304) unmodified += 1;
      tags.set(place, told.headers.get('etag') ?? '');
    }
    expect(requests).toBeGreaterThan(RANDOM_STEPS / 2);
    expect(unmodified).toBeGreaterThan(100);
  });
});

/** The cursor of a delta walk contains the instant of its first page, and is part of the page's tag. */
const withoutCursor = <Compared extends { text: string; etag: string | null; link: string | null }>(
  compared: Compared,
): Compared => ({
  ...compared,
  text: compared.text.replace(/"next_cursor":"[^"]*"/, ''),
  etag: /updated_since=[^>]*&cursor=/.test(compared.link ?? '') ? null : compared.etag,
  link: compared.link?.replace(/cursor=[^>]*/, '') ?? null,
});

const alike = (one: Response, other: Response): boolean =>
  isDeepStrictEqual(withoutCursor(comparable(one)), withoutCursor(comparable(other)));
