// Guarantee: firms and clients reach only what is theirs; another's id is refused like an unknown one.

import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { codeOf } from '#test/support/portal.ts';
import { type Side, withScene } from '#test/support/portal-scene.ts';
import { makeKey } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

const scene = withScene();

/** A side with more that others could name. */
interface Other extends Side {
  /** The id of an event of the grant. */
  event: string;
  invitation: string;
  testClient: string;
  /** The id of a request to the test client. */
  testRequest: string;
}

let there: Other;
beforeAll(async () => {
  const { asMember, grant, firm } = scene.there;
  const [step] = (await asMember(QUERIES.grant, { id: grant.id })).events;
  const invited = { email: 'invited@example.com', name: 'Invited There', role: 'auditor' };
  const { invitations } = await asMember(MUTATIONS.inviteMember, invited);
  const { id: testClient } = await asMember(MUTATIONS.createTestClient);
  const { id: keyId } = await makeKey(scene.gateway.database, firm, { environment: 'sandbox' });
  const { id } = await asMember(MUTATIONS.requestGrant, { keyId, client: testClient, ...everything() });
  there = { ...scene.there, event: step.id, invitation: invitations[0].id, testClient, testRequest: id };
});

/** Everything that would identify the other side. */
const marksOf = ({ firm, member, key, otherKey, client, item, collectionId, grant, request, ...more }: Other) => [
  ...[firm, member, key, otherKey, client, item, grant, request].map(({ id }) => id),
  ...[item.registryId, collectionId, firm.name, member.name, member.email, client.email, 'There'],
  ...[more.invitation, more.testClient, more.testRequest],
];

const everything = () => ({ filter: { type: 'all' }, scopes: ['registry'] });

/** What reads one thing by its id. Everything else is a list. */
type Reading = 'key' | 'activity' | 'grant' | 'lastEvent' | 'receipt' | 'preview';

/** The one who could do this, were it theirs, and how it names what is of the other side. */
type Attempt = ['member' | 'client', (other: Other) => Record<string, unknown>];

const ofRequest: Attempt = ['client', ({ request }) => ({ id: request.id, ...everything() })];
const ofGrant: Attempt = ['client', ({ grant }) => ({ id: grant.id, ...everything() })];

/** Null for those that name nothing of one firm or client, and for those of operators. */
const ATTEMPTS: Record<Reading | keyof typeof MUTATIONS, Attempt | null> = {
  key: ['member', ({ key }) => ({ id: key.id })],
  activity: ['member', ({ key }) => ({ keyId: key.id })],
  grant: ['member', ({ grant }) => ({ id: grant.id })],
  lastEvent: ['client', ({ grant }) => ({ id: grant.id })],
  receipt: ['member', ({ grant, event }) => ({ id: grant.id, eventId: event })],
  preview: ['client', ({ grant, client }) => ({ grantId: grant.id, request: `/api/v1/assets?client_id=${client.id}` })],
  changeKey: ['member', ({ key }) => ({ id: key.id, name: 'Taken' })],
  rotateKey: ['member', ({ key }) => ({ id: key.id })],
  revokeKey: ['member', ({ key }) => ({ id: key.id })],
  requestGrant: ['member', ({ key, client }) => ({ keyId: key.id, client: client.id, ...everything() })],
  withdrawGrant: ['member', ({ request }) => ({ id: request.id })],
  deleteTestClient: ['member', ({ testClient }) => ({ id: testClient })],
  stepAsTestClient: ['member', ({ testRequest }) => ({ id: testRequest, step: 'approve' })],
  withdrawInvitation: ['member', ({ invitation }) => ({ id: invitation })],
  setMemberRole: ['member', ({ member }) => ({ id: member.id, role: 'auditor' })],
  removeMember: ['member', ({ member }) => ({ id: member.id })],
  resetMemberFactors: ['member', ({ member }) => ({ id: member.id, reason: 'Lost' })],
  approveGrant: ofRequest,
  declineGrant: ofRequest,
  changeGrant: ofGrant,
  revokeGrant: ofGrant,
  inviteMember: null,
  requireSecondFactor: null,
  setFirmIdentity: null,
  createKey: null,
  createTestClient: null,
  setNotification: null,
  noteTimeZone: null,
  // A client may name any firm and any key: the tests below are about them.
  stopFirm: null,
  giveGrant: null,
  setKeyTier: null,
  setKeyShadow: null,
  setTierShadow: null,
  setFirmLimit: null,
};

/** Everything that the operations could have changed. */
const rows = async () => {
  const [all] = await scene.gateway.database.query({
    text: `select (select json_agg(k order by id) from (select id, name, revoked_at, rotated_to, expires_at from api_keys) k) as keys,
      (select json_agg(g order by id) from grants g) as grants, (select count(*) from grant_events) as steps,
      (select count(*) from key_events) as events, (select json_agg(u order by id) from users u) as users,
      (select json_agg(i order by id) from firm_invitations i) as invitations,
      (select count(*) from firm_events) as acts`,
  });
  return all;
};

/** Both sides read grants, and clients also requests. */
const CLIENTS_OWN: [name: 'grant', ...Attempt][] = [
  ['grant', 'client', ({ grant }) => ({ id: grant.id })],
  ['grant', 'client', ({ request }) => ({ id: request.id })],
];

const attempts = Object.entries(ATTEMPTS).flatMap(([name, attempt]) =>
  attempt === null ? [] : [[name as keyof typeof ATTEMPTS, ...attempt] as const],
);

it.each([...attempts, ...CLIENTS_OWN])(
  '%s of another %s is refused as for an unknown id, and changes nothing',
  async (name, who, aimed) => {
    const document = { ...QUERIES, ...MUTATIONS }[name];
    const ask = who === 'member' ? scene.here.asMember : scene.here.asClient;
    const unknown: Other = {
      ...there,
      member: { ...there.member, id: newId('user') },
      key: { ...there.key, id: newId('key') },
      grant: { ...there.grant, id: newId('grant') },
      request: { ...there.request, id: newId('grant') },
      ...{ invitation: newId('invitation'), testClient: newId('user'), testRequest: newId('grant') },
    };
    const refusal = async (other: Other) => {
      const error = await ask(document, aimed(other)).catch((error: unknown) => error);
      return String(error).replace(/(usr|key|grt|inv)_\w+/, '…');
    };
    const before = await rows();
    expect(await codeOf(ask(document, aimed(there)))).toBe('resource_not_found');
    expect(await refusal(there)).toBe(await refusal(unknown));
    expect(await rows()).toEqual(before);
  },
);

describe('lists', () => {
  /** Each list, unfiltered and with the other side's ids as its filters; none where it names nothing of one firm or client, or is for operators. */
  const LISTS: Record<
    Exclude<keyof typeof QUERIES, Exclude<Reading, 'activity'>>,
    (other: Other) => Record<string, unknown>[]
  > = {
    viewer: () => [{}],
    team: () => [{}],
    testClients: () => [{}],
    firmEvents: () => [{}],
    keys: () => [{}],
    activity: () => [{}],
    calls: ({ key }) => [{}, { keyId: key.id }],
    grants: ({ key, firm, client }) => [
      ...[{}, { keyId: key.id }, { firmId: firm.id }, { clientId: client.id }, { search: 'There' }],
    ],
    grantCounts: () => [{}],
    accessRecord: ({ key, firm, item }) => [
      ...[{}, { keyId: key.id }, { firmId: firm.id }, { registryId: item.registryId }],
    ],
    accessRecordParties: () => [{}],
    consentHistory: ({ firm }) => [{}, { firmId: firm.id }],
    consentFirms: () => [{}],
    ownItems: ({ item, collectionId }) => [
      ...[{}, { search: 'There' }, { registryIds: [item.registryId] }, { collection: collectionId }],
    ],
    ownItemIds: ({ collectionId }) => [{}, { search: 'There' }, { collection: collectionId }],
    ownCollections: () => [{}],
    ownCategories: () => [{}],
    notificationSettings: () => [],
    categories: () => [],
    // A client may look up any key: the test below is about it.
    keySummary: () => [],
    limits: () => [],
    limit: () => [],
    tierShadows: () => [],
    limiterState: () => [],
    whatIf: () => [],
    systemState: () => [],
    limitHistory: () => [],
    gatewayProcesses: () => [],
    unauthenticatedCalls: () => [],
  };

  it('contain nothing of another firm or client', async () => {
    const { here } = scene;
    let answered = 0;
    for (const ask of [here.asMember, here.asClient]) {
      for (const [name, filters] of Object.entries(LISTS)) {
        const document = QUERIES[name as keyof typeof LISTS];
        for (const variables of filters(there)) {
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
  it('stops with a firm only what is their own', async () => {
    const before = await rows();
    expect(await scene.here.asClient(MUTATIONS.stopFirm, { firmId: there.firm.id })).toBe(0);
    expect(await rows()).toEqual(before);
  });

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
