// Guarantee: each field of the portal is there for the roles that it is for, and refused to everybody else.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { codeOf } from '#test/support/portal.ts';
import { makeScene, type Scene } from '#test/support/portal-scene.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

let gateway: TestGateway;
let scene: Scene;
let step: string;
beforeAll(async () => {
  gateway = await startGateway();
  scene = await makeScene(gateway);
  step = (await scene.here.asClient(QUERIES.grant, { id: scene.here.grant.id })).events[0].id;
});
afterAll(async () => {
  scene.portal.close();
  await gateway.stop();
});

type Role = 'firm_member' | 'client' | 'ops';
const ROLES: Role[] = ['firm_member', 'client', 'ops'];

/** Whom each query is for; its fields in that role's eyes are all of them. */
const READERS: Record<keyof typeof QUERIES, Role[]> = {
  viewer: ROLES,
  notificationSettings: ROLES,
  categories: ROLES,
  keys: ['firm_member'],
  key: ['firm_member'],
  activity: ['firm_member'],
  calls: ['firm_member'],
  grants: ['firm_member', 'client'],
  grant: ['firm_member', 'client'],
  receipt: ['firm_member', 'client'],
  grantCounts: ['firm_member', 'client'],
  keySummary: ['client'],
  accessRecord: ['client'],
  accessRecordParties: ['client'],
  consentHistory: ['client'],
  ownItems: ['client'],
  ownItemIds: ['client'],
  ownCollections: ['client'],
  ownCategories: ['client'],
  preview: ['client'],
  limits: ['ops'],
  limit: ['ops'],
  tierShadows: ['ops'],
  limiterState: ['ops'],
  whatIf: ['ops'],
  systemState: ['ops'],
};

/** All but the choice of notifications, which is everybody's own. */
const WRITERS: Record<Exclude<keyof typeof MUTATIONS, 'setNotification'>, Role> = {
  createKey: 'firm_member',
  rotateKey: 'firm_member',
  revokeKey: 'firm_member',
  requestGrant: 'firm_member',
  withdrawGrant: 'firm_member',
  approveGrant: 'client',
  declineGrant: 'client',
  changeGrant: 'client',
  revokeGrant: 'client',
  stopFirm: 'client',
  giveGrant: 'client',
  setKeyTier: 'ops',
  setKeyShadow: 'ops',
  setTierShadow: 'ops',
  setFirmLimit: 'ops',
};

const userOf = (role: Role) => {
  const { here, operator } = scene;
  return { firm_member: here.member, client: here.client, ops: operator }[role].id;
};

const variablesFor = (name: string): Record<string, unknown> => {
  const { key, grant, client, item } = scene.here;
  const filter = { type: 'all' };
  const scopes = ['registry'];
  const request = `/api/v1/assets?client_id=${client.id}`;
  const common = {
    tier: 'standard',
    keyId: key.id,
    client: client.id,
    scopes,
    filter,
    first: 5,
    shadowed: true,
    reason: 'a trial',
  };
  const id = /[kK]ey/.test(name) ? key.id : grant.id;
  const given: Record<string, Record<string, unknown>> = {
    preview: { grantId: grant.id, request },
    createKey: { name: 'New', environment: 'sandbox', scopes },
    ownItems: { registryIds: [item.registryId] },
    ownItemIds: {},
    accessRecord: {},
    calls: {},
    whatIf: { tier: 'standard' },
    receipt: { id: grant.id, eventId: step },
  };
  return given[name] ?? { ...common, id };
};

/** What looking a second time would say differently: the moments at which it was looked. */
function still(answer: unknown): unknown {
  const moments = /^(at|since|until|peakAt|latencyMs|sizeBytes|connections)$/;
  const text = JSON.stringify(answer, (name, value) => (moments.test(name) ? '…' : value));
  return JSON.parse(text.replace(/\\"as_of\\":\\"[^"\\]*/g, ''));
}

describe.each(Object.entries(READERS))('%s', (name, readers) => {
  const document = QUERIES[name as keyof typeof QUERIES];

  it('answers those it is for just as the schema with a check in each field does', async () => {
    for (const role of readers) {
      const answer = await scene.portal.as(userOf(role))(document, variablesFor(name));
      const checked = await scene.portal.guarded(userOf(role))(document, variablesFor(name));
      expect(still(answer), role).toEqual(still(checked));
    }
  });

  it('is refused to everybody else, whoever they are', async () => {
    const variables = variablesFor(name);
    for (const role of ROLES.filter((one) => !readers.includes(one)))
      expect(await codeOf(scene.portal.as(userOf(role))(document, variables)), role).toBe('forbidden');
    const plants = scene.portal.asPrincipal({ kind: 'plant_account', accountId: 'a' });
    expect(await codeOf(plants(document, variables))).toBe('forbidden');
    const support = scene.portal.asPrincipal({ kind: 'service', tokenId: 'stk', role: 'support', view: null });
    expect(await codeOf(support(document, variables))).toBe('forbidden');
  });
});

it('mutations are refused to every role but their own, with nothing changed', async () => {
  const rows = () =>
    gateway.database.query({
      text: `select (select json_agg(k order by id) from (select * from api_keys) k) as keys,
        (select json_agg(g order by id) from grants g) as grants,
        (select count(*) from limit_shadows) as shadows`,
    });
  const before = await rows();
  for (const [name, writer] of Object.entries(WRITERS)) {
    const document = MUTATIONS[name as keyof typeof MUTATIONS];
    for (const role of ROLES.filter((one) => one !== writer))
      expect(await codeOf(scene.portal.as(userOf(role))(document, variablesFor(name))), `${name} ${role}`).toBe(
        'forbidden',
      );
  }
  expect(await rows()).toEqual(before);
});
