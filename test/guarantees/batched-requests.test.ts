// Guarantee: requests read by one statement get the responses that each would get alone, for its key, grant, filter and
// asset.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '#auth/key-format.ts';
import { scopeSet } from '#core/scopes.ts';
import { type AdmissionLookup, readAdmissions } from '#repositories/admission/admission.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { readAdmission } from '#test/support/recorded.ts';
import { call, furnish, makeItem } from '#test/support/scenario.ts';
import { Chance } from './chance.ts';

const ROUNDS = 8;
const operator = { kind: 'operator', id: 'test' } as const;

interface Request {
  partner: Partner;
  path: string;
  tag: string | undefined;
}

let gateway: TestGateway;
let partners: Partner[];
let paths: string[];
const chance = new Chance();

beforeAll(async () => {
  // Each request has its own address, so that refused ones do not reach the limit of an address.
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  const { database } = gateway;
  const whole = await makePartner(gateway);
  const stranger = await makePartner(gateway);
  const { client } = whole;
  const items = await Promise.all(['WT', 'AR', 'OT'].map((category) => makeItem(database, client, { category })));
  items.push(await makeItem(database, stranger.client));
  const [watch = { id: '', registryId: '' }] = items;
  const { collectionId: collection } = await furnish(database, client, watch);
  const revoked = await makePartner(gateway, { client });
  const ended = await makePartner(gateway, { client });
  partners = [
    whole,
    stranger,
    await makePartner(gateway, { client, filter: { type: 'category', categories: ['AR', 'OT'] } }),
    await makePartner(gateway, { client, filter: { type: 'category', categories: ['WT'] } }),
    await makePartner(gateway, { client, filter: { type: 'items', items: [watch.registryId] } }),
    await makePartner(gateway, { client, filter: { type: 'collection', collection }, scopes: scopeSet(['registry']) }),
    await makePartner(gateway, { client, scopes: scopeSet(['valuation', 'estate']) }),
    { ...whole, client: stranger.client },
    ...[revoked, ended],
  ];
  await revokeKey(database, revoked.key.id, operator);
  await revokeGrant(database, ended.grant.id, operator);
  paths = [...items.map(({ registryId }) => `/assets/${registryId}`), `/assets/${watch.registryId}?include=documents`];
  paths.push('/assets/PTC-WT-0000000', '/assets', '/assets?category=WT', '/portfolio/summary');
});
afterAll(() => gateway.stop());

let requests = 0;

async function responseTo({ partner, path, tag }: Request): Promise<[status: number, text: string]> {
  requests += 1;
  const headers = {
    'X-Forwarded-For': `10.0.${requests >> 8}.${requests & 255}`,
    ...(tag && { 'If-None-Match': tag }),
  };
  const { status, text } = await call(gateway.url + pathFor(partner.client.id, path), partner.key.secret, { headers });
  return [status, text.replace(/"(?:as_of|next_cursor|request_id)":"[^"]*"/g, '')];
}

function shuffled<Entry>(entries: readonly Entry[]): Entry[] {
  return entries
    .map((entry) => ({ entry, place: chance.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ entry }) => entry);
}

describe(`requests read together (seed ${chance.seed})`, () => {
  it('get the same bodies, refusals and 304s as sequential ones', async () => {
    const all: Request[] = [];
    for (const partner of partners)
      for (const path of paths) {
        const { headers } = await partner.get(path, { headers: { 'X-Forwarded-For': `10.1.0.${all.length}` } });
        all.push({ partner, path, tag: undefined });
        const tag = headers.get('etag');
        if (tag !== null) all.push({ partner, path, tag });
      }
    const alone = new Map<Request, unknown>();
    for (const request of all) alone.set(request, await responseTo(request));
    expect(new Set([...alone.values()].map((response) => JSON.stringify(response))).size).toBeGreaterThan(20);
    for (let round = 0; round < ROUNDS; round++) {
      const order = shuffled(all);
      const together = await Promise.all(order.map(responseTo));
      for (const [at, request] of order.entries()) {
        const where = `${partners.indexOf(request.partner)} ${request.path} ${request.tag}`;
        expect(together[at], where).toEqual(alone.get(request));
      }
    }
  });

  it('get the same admissions from one statement as from one each, unknown keys and clients included', async () => {
    const { database } = gateway;
    const secretOf = ({ key }: Partner) => hashSecret(key.secret);
    const clients = [...new Set(partners.map(({ client }) => client.id)), 'usr_none', null];
    const every = [...partners.map(secretOf), Buffer.alloc(32)].flatMap((key) =>
      clients.map((clientId): AdmissionLookup => ({ key, clientId })),
    );
    // Each statement has its own moment, which is left out.
    const admissionOf = (found: Awaited<ReturnType<typeof readAdmission>>) => found?.admission;
    for (const size of [2, 7, every.length]) {
      const some = shuffled(every).slice(0, size);
      const together = await readAdmissions(database, some);
      const alone = await Promise.all(some.map((each) => readAdmission(database, each)));
      expect(together.map(admissionOf)).toEqual(alone.map(admissionOf));
    }
  });
});
