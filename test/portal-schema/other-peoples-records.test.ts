// Guarantee: firms and clients reach only what is theirs; another's id is refused like an unknown one.

import { describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { type Ask, codeOf } from '#test/support/portal.ts';
import { type Side, withScene } from '#test/support/portal-scene.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

const scene = withScene();

/** Everything that would identify the other side. */
const marksOf = ({ firm, member, key, otherKey, client, item, collectionId, grant, request }: Side) => [
  ...[firm, member, key, otherKey, client, item, grant, request].map(({ id }) => id),
  ...[item.registryId, collectionId, firm.name, member.name, member.email, client.email, 'There'],
];

const everything = () => ({ filter: { type: 'all' }, scopes: ['registry'] });

type Attempt = [name: string, document: string, variables: (side: Side) => Record<string, unknown>];

const byGrant = (grant: (side: Side) => string) => (side: Side) => ({ id: grant(side), ...everything() });

const MEMBER_ATTEMPTS: Attempt[] = [
  ['key', QUERIES.key, ({ key }) => ({ id: key.id })],
  ['activity of a key', QUERIES.activity, ({ key }) => ({ keyId: key.id })],
  ['grant', QUERIES.grant, ({ grant }) => ({ id: grant.id })],
  ['changeKey', MUTATIONS.changeKey, ({ key }) => ({ id: key.id, name: 'Taken' })],
  ['rotateKey', MUTATIONS.rotateKey, ({ key }) => ({ id: key.id })],
  ['revokeKey', MUTATIONS.revokeKey, ({ key }) => ({ id: key.id })],
  [
    'requestGrant',
    MUTATIONS.requestGrant,
    ({ key, client }) => ({ keyId: key.id, client: client.id, ...everything() }),
  ],
  ['withdrawGrant', MUTATIONS.withdrawGrant, ({ request }) => ({ id: request.id })],
];

const CLIENT_ATTEMPTS: Attempt[] = [
  ['grant', QUERIES.grant, ({ grant }) => ({ id: grant.id })],
  ['a request', QUERIES.grant, ({ request }) => ({ id: request.id })],
  [
    'preview of a grant',
    QUERIES.preview,
    ({ grant, client }) => ({ grantId: grant.id, request: `/api/v1/assets?client_id=${client.id}` }),
  ],
  ['approveGrant', MUTATIONS.approveGrant, byGrant(({ request }) => request.id)],
  ['declineGrant', MUTATIONS.declineGrant, byGrant(({ request }) => request.id)],
  ['changeGrant', MUTATIONS.changeGrant, byGrant(({ grant }) => grant.id)],
  ['revokeGrant', MUTATIONS.revokeGrant, byGrant(({ grant }) => grant.id)],
];

/** Everything that the operations could have changed. */
const rows = async () => {
  const [all] = await scene.gateway.database.query({
    text: `select (select json_agg(k order by id) from (select id, name, revoked_at, rotated_to, expires_at from api_keys) k) as keys,
      (select json_agg(g order by id) from grants g) as grants, (select count(*) from grant_events) as steps,
      (select count(*) from key_events) as events`,
  });
  return all;
};

describe.each([
  ['a member of another firm', (side: Side): Ask => side.asMember, MEMBER_ATTEMPTS],
  ['another client', (side: Side): Ask => side.asClient, CLIENT_ATTEMPTS],
] as const)('%s', (_who, asOf, attempts) => {
  it.each(attempts)('%s is refused as for an unknown id, and changes nothing', async (_name, document, variables) => {
    const before = await rows();
    const unknown: Side = {
      ...scene.there,
      key: { ...scene.there.key, id: newId('key') },
      grant: { ...scene.there.grant, id: newId('grant') },
      request: { ...scene.there.request, id: newId('grant') },
    };
    const message = async (side: Side) => {
      const refusal = await asOf(scene.here)(document, variables(side)).catch((error: unknown) => error);
      return String(refusal).replace(/(key|grt)_\w+/, '…');
    };
    expect(await codeOf(asOf(scene.here)(document, variables(scene.there)))).toBe('resource_not_found');
    expect(await message(scene.there)).toBe(await message(unknown));
    expect(await rows()).toEqual(before);
  });
});

describe('lists', () => {
  /** Each list, unfiltered and with the other side's ids as its filters. */
  const queries = (there: Side): [string, Record<string, unknown>[]][] => [
    [QUERIES.keys, [{}]],
    [QUERIES.activity, [{}]],
    [QUERIES.calls, [{}, { keyId: there.key.id }]],
    [QUERIES.grants, [{}, { keyId: there.key.id }, { firmId: there.firm.id }, { search: 'There' }]],
    [QUERIES.grantCounts, [{}]],
    [QUERIES.viewer, [{}]],
    [
      QUERIES.accessRecord,
      [{}, { keyId: there.key.id }, { firmId: there.firm.id }, { registryId: there.item.registryId }],
    ],
    [QUERIES.accessRecordParties, [{}]],
    [QUERIES.consentHistory, [{}, { firmId: there.firm.id }]],
    [QUERIES.consentFirms, [{}]],
    [
      QUERIES.ownItems,
      [{}, { search: 'There' }, { registryIds: [there.item.registryId] }, { collection: there.collectionId }],
    ],
    [QUERIES.ownItemIds, [{}, { search: 'There' }, { collection: there.collectionId }]],
    [QUERIES.ownCollections, [{}]],
    [QUERIES.ownCategories, [{}]],
  ];

  it('contain nothing of another firm or client', async () => {
    const { here, there } = scene;
    let answered = 0;
    for (const ask of [here.asMember, here.asClient]) {
      for (const [document, filters] of queries(there)) {
        for (const variables of filters) {
          const answer = await ask(document, variables).catch((error: { code?: string }) => {
            expect(error.code).toBe('forbidden');
          });
          if (answer === undefined) continue;
          answered += 1;
          const text = JSON.stringify(answer);
          for (const mark of marksOf(there)) expect(text, document).not.toContain(mark);
        }
      }
    }
    expect(answered).toBeGreaterThan(20);
  });

  it("refuse a cursor of another person's list", async () => {
    const { here, there } = scene;
    const { nextCursor } = await there.asMember(QUERIES.grants, { first: 1 });
    expect(nextCursor).toEqual(expect.any(String));
    expect(await codeOf(here.asMember(QUERIES.grants, { first: 1, after: nextCursor }))).toBe('invalid_parameter');
  });
});

describe('a client', () => {
  it('names in grants and previews nothing that is not theirs', async () => {
    const { here, there } = scene;
    const give = (changes: object) =>
      codeOf(here.asClient(MUTATIONS.giveGrant, { keyId: there.otherKey.id, ...everything(), ...changes }));
    const theirs = { type: 'items', items: [there.item.registryId] };
    expect(await give({ filter: theirs })).toBe('invalid_parameter');
    expect(await give({ filter: { type: 'collection', collection: there.collectionId } })).toBe('invalid_parameter');
    const draft = { keyId: here.key.id, scopes: ['registry'], filter: theirs };
    const request = `/api/v1/assets?client_id=${here.client.id}`;
    expect(await codeOf(here.asClient(QUERIES.preview, { ...draft, request }))).toBe('invalid_parameter');
    const other = `/api/v1/assets?client_id=${there.client.id}`;
    const shown = await here.asClient(QUERIES.preview, { grantId: here.grant.id, request: other });
    expect([shown.status, JSON.parse(shown.body).error.code]).toEqual([403, 'no_active_grant']);
  });

  it('looks up and grants keys of their own environment alone', async () => {
    const { here, there } = scene;
    const card = await here.asClient(QUERIES.keySummary, { keyId: there.key.id });
    expect(card).toMatchObject({ keyId: there.key.id, firmName: there.firm.name, activeGrantId: null });
    await scene.gateway.database.query({
      text: "update api_keys set environment = 'sandbox' where id = $1",
      values: [there.otherKey.id],
    });
    expect(await codeOf(here.asClient(QUERIES.keySummary, { keyId: there.otherKey.id }))).toBe('resource_not_found');
    const give = { keyId: there.otherKey.id, ...everything() };
    expect(await codeOf(here.asClient(MUTATIONS.giveGrant, give))).toBe('resource_not_found');
  });
});
