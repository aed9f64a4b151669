// Guarantee: each field of the portal's schema can be read by its own roles, and is refused to all others.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FirmRole } from '#core/firm-roles.ts';
import { createUser } from '#repositories/users.ts';
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

/** The roles that may read each query, with all of its fields. */
const READERS: Record<keyof typeof QUERIES, Role[]> = {
  viewer: ROLES,
  notificationSettings: ROLES,
  categories: ROLES,
  team: ['firm_member'],
  firmEvents: ['firm_member'],
  keys: ['firm_member'],
  key: ['firm_member'],
  activity: ['firm_member'],
  calls: ['firm_member'],
  grants: ['firm_member', 'client'],
  grant: ['firm_member', 'client'],
  receipt: ['firm_member', 'client'],
  lastEvent: ['client'],
  testClients: ['firm_member'],
  grantCounts: ['firm_member', 'client'],
  keySummary: ['client'],
  accessRecord: ['client'],
  accessRecordParties: ['client'],
  consentHistory: ['client'],
  consentFirms: ['client'],
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
  limitHistory: ['ops'],
  gatewayProcesses: ['ops'],
  unauthenticatedCalls: ['ops'],
};

/** The role of each mutation, without those of notifications and time zones, which every role has. */
const WRITERS: Record<Exclude<keyof typeof MUTATIONS, 'setNotification' | 'noteTimeZone'>, Role> = {
  setFirmIdentity: 'firm_member',
  inviteMember: 'firm_member',
  withdrawInvitation: 'firm_member',
  setMemberRole: 'firm_member',
  removeMember: 'firm_member',
  resetMemberFactors: 'firm_member',
  requireSecondFactor: 'firm_member',
  createKey: 'firm_member',
  changeKey: 'firm_member',
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
  createTestClient: 'firm_member',
  deleteTestClient: 'firm_member',
  stepAsTestClient: 'firm_member',
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
    stepAsTestClient: { id: grant.id, step: 'revoke' },
    ownItems: { registryIds: [item.registryId] },
    ownItemIds: {},
    accessRecord: {},
    calls: {},
    firmEvents: {},
    inviteMember: { email: 'new@example.com', name: 'New', role: 'auditor' },
    setMemberRole: { id: scene.here.member.id, role: 'auditor' },
    removeMember: { id: scene.here.member.id },
    resetMemberFactors: { id: scene.here.member.id, reason: 'Lost' },
    requireSecondFactor: { required: true },
    withdrawInvitation: { id: 'inv_00000000000000000000000000' },
    whatIf: { tier: 'standard' },
    limitHistory: { span: 'hour' },
    unauthenticatedCalls: {},
    receipt: { id: grant.id, eventId: step },
  };
  return given[name] ?? { ...common, id };
};

/** Without what differs from one read to the next. */
function withoutMoments(answer: unknown): unknown {
  const moments =
    /^(at|since|until|peakAt|latencyMs|sizeBytes|connections|seenAt|startedAt|limiterSince|recordsWaiting|checkpoint)$/;
  const text = JSON.stringify(answer, (name, value) => (moments.test(name) ? '…' : value));
  return JSON.parse(text.replace(/\\"as_of\\":\\"[^"\\]*/g, ''));
}

describe.each(Object.entries(READERS))('%s', (name, readers) => {
  const document = QUERIES[name as keyof typeof QUERIES];

  it('returns to its roles what the guarded schema returns', async () => {
    for (const role of readers) {
      const answer = await scene.portal.as(userOf(role))(document, variablesFor(name));
      const checked = await scene.portal.guarded(userOf(role))(document, variablesFor(name));
      expect(withoutMoments(answer), role).toEqual(withoutMoments(checked));
    }
  });

  it('is refused to all other callers', async () => {
    const variables = variablesFor(name);
    for (const role of ROLES.filter((one) => !readers.includes(one))) {
      // A firm may read the grant, but not this field of it.
      const code = name === 'lastEvent' && role === 'firm_member' ? 'insufficient_scope' : 'forbidden';
      expect(await codeOf(scene.portal.as(userOf(role))(document, variables)), role).toBe(code);
    }
    const plantAccount = scene.portal.asPrincipal({ kind: 'plant_account', accountId: 'a' });
    expect(await codeOf(plantAccount(document, variables))).toBe('forbidden');
    const support = scene.portal.asPrincipal({ kind: 'service', tokenId: 'stk', role: 'support', view: null });
    expect(await codeOf(support(document, variables))).toBe('forbidden');
  });
});

it('mutations are refused to every other role, and change nothing', async () => {
  const rows = () =>
    gateway.database.query({
      text: `select (select json_agg(k order by id) from (select * from api_keys) k) as keys,
        (select json_agg(g order by id) from grants g) as grants,
        (select json_agg(u order by id) from users u) as users, (select json_agg(f order by id) from firms f) as firms,
        (select count(*) from firm_invitations) as invitations, (select count(*) from firm_events) as events,
        (select count(*) from limit_shadows) as shadows,
        (select count(*) from brief_limits) as brief,
        (select count(*) from firm_identities) as identities`,
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

/** The least role of a member that each mutation of a firm requires. */
const OF_MEMBERS = {
  inviteMember: 'administrator',
  withdrawInvitation: 'administrator',
  setMemberRole: 'administrator',
  removeMember: 'administrator',
  resetMemberFactors: 'administrator',
  requireSecondFactor: 'administrator',
  setFirmIdentity: 'administrator',
  createKey: 'developer',
  changeKey: 'developer',
  createTestClient: 'developer',
  deleteTestClient: 'developer',
  stepAsTestClient: 'developer',
  rotateKey: 'developer',
  revokeKey: 'developer',
  requestGrant: 'developer',
  withdrawGrant: 'developer',
} as const;

describe('within a firm', () => {
  it('the required role is known of each mutation of members', () => {
    const ofMembers = Object.entries(WRITERS).flatMap(([name, writer]) => (writer === 'firm_member' ? [name] : []));
    expect(Object.keys(OF_MEMBERS).sort()).toEqual(ofMembers.sort());
  });

  it('auditors change nothing, developers no members, and both read what administrators read', async () => {
    const { database } = gateway;
    const makeColleague = (firmRole: FirmRole) =>
      createUser(database, {
        ...{ role: 'firm_member', email: `${firmRole}@example.com`, name: firmRole },
        ...{ firmId: scene.here.firm.id, firmRole },
      });
    const [developer, auditor] = [await makeColleague('developer'), await makeColleague('auditor')];
    const state = () =>
      database.query({
        text: `select (select json_agg(k order by id) from api_keys k) as keys, (select json_agg(g order by id) from grants g) as grants,
          (select json_agg(u order by id) from users u) as users, (select json_agg(f order by id) from firms f) as firms,
          (select count(*) from firm_invitations) as invitations, (select count(*) from firm_events) as events`,
      });
    const before = await state();
    for (const [name, needed] of Object.entries(OF_MEMBERS)) {
      const document = MUTATIONS[name as keyof typeof MUTATIONS];
      const refused = needed === 'developer' ? [auditor] : [auditor, developer];
      for (const { id, name: role } of refused)
        for (const ask of [scene.portal.as(id), scene.portal.guarded(id)])
          expect(await codeOf(ask(document, variablesFor(name))), `${name} ${role}`).toBe('forbidden');
    }
    expect(await state()).toEqual(before);

    for (const [name, readers] of Object.entries(READERS)) {
      if (!readers.includes('firm_member') || name === 'viewer' || name === 'team') continue;
      const document = QUERIES[name as keyof typeof QUERIES];
      const variables = variablesFor(name);
      const asAdministrator = await scene.here.asMember(document, variables);
      for (const { id, name: role } of [auditor, developer])
        expect(withoutMoments(await scene.portal.as(id)(document, variables)), `${name} ${role}`).toEqual(
          withoutMoments(asAdministrator),
        );
    }
    const created = await scene.portal.as(developer.id)(MUTATIONS.createKey, variablesFor('createKey'));
    expect(created.secret).toMatch(/^sk_/);
  });
});
