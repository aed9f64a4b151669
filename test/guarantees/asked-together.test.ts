// Guarantee: requests that are read together get what each would get alone: by its own key, grant, filter and asset.

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

interface Question {
  partner: Partner;
  path: string;
  tag: string | undefined;
}

let gateway: TestGateway;
let partners: Partner[];
let paths: string[];
const chance = new Chance();

beforeAll(async () => {
  // Addresses of their own, so that refused requests do not meet the limit of one address.
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

let asked = 0;

async function answerTo({ partner, path, tag }: Question): Promise<[status: number, text: string]> {
  asked += 1;
  const headers = { 'X-Forwarded-For': `10.0.${asked >> 8}.${asked & 255}`, ...(tag && { 'If-None-Match': tag }) };
  const { status, text } = await call(gateway.url + pathFor(partner.client.id, path), partner.key.secret, { headers });
  return [status, text.replace(/"(?:as_of|next_cursor|request_id)":"[^"]*"/g, '')];
}

function shuffled<Entry>(entries: readonly Entry[]): Entry[] {
  return entries
    .map((entry) => ({ entry, place: chance.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ entry }) => entry);
}

describe(`seed ${chance.seed}`, () => {
  it('over HTTP: bodies, refusals and 304s', async () => {
    const questions: Question[] = [];
    for (const partner of partners)
      for (const path of paths) {
        const { headers } = await partner.get(path, { headers: { 'X-Forwarded-For': `10.1.0.${questions.length}` } });
        questions.push({ partner, path, tag: undefined });
        const tag = headers.get('etag');
        if (tag !== null) questions.push({ partner, path, tag });
      }
    const alone = new Map<Question, unknown>();
    for (const question of questions) alone.set(question, await answerTo(question));
    expect(new Set([...alone.values()].map((answer) => JSON.stringify(answer))).size).toBeGreaterThan(20);
    for (let round = 0; round < ROUNDS; round++) {
      const order = shuffled(questions);
      const together = await Promise.all(order.map(answerTo));
      for (const [at, question] of order.entries()) {
        const where = `${partners.indexOf(question.partner)} ${question.path} ${question.tag}`;
        expect(together[at], where).toEqual(alone.get(question));
      }
    }
  });

  it('in one statement: keys that there are and are not, clients that they may see and may not, in any order', async () => {
    const { database } = gateway;
    const secretOf = ({ key }: Partner) => hashSecret(key.secret);
    const clients = [...new Set(partners.map(({ client }) => client.id)), 'usr_none', null];
    const every = [...partners.map(secretOf), Buffer.alloc(32)].flatMap((key) =>
      clients.map((clientId): AdmissionLookup => ({ key, clientId })),
    );
    // The moment of each statement is its own.
    const lasting = (found: Awaited<ReturnType<typeof readAdmission>>) => found?.admission;
    for (const size of [2, 7, every.length]) {
      const some = shuffled(every).slice(0, size);
      const together = await readAdmissions(database, some);
      const alone = await Promise.all(some.map((each) => readAdmission(database, each)));
      expect(together.map(lasting)).toEqual(alone.map(lasting));
    }
  });
});
