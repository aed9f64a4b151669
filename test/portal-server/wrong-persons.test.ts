// Every operation of the portal, by role: which callers get their own data, which get no data, and which are refused.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { inviteMember } from '#repositories/firms/invitations.ts';
import type { Firm } from '#repositories/firms.ts';
import type { Grant } from '#repositories/grants/grant-queries.ts';
import { requestGrant } from '#repositories/grants/grants.ts';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { freePort, until } from '#test/support/ports.ts';
import {
  call,
  furnish,
  type Item,
  type Key,
  makeClient,
  makeFirm,
  makeGrant,
  makeItem,
  makeKey,
} from '#test/support/scenario.ts';
import { Browser, expectRefusal, type Got } from './browser.ts';
import { makeMember, makeOperator, makeOwner, newEmail, signedIn } from './people.ts';

const MANIFEST = new URL('../../portal/operations.json', import.meta.url);
const operations: Record<string, string> = JSON.parse(readFileSync(MANIFEST, 'utf8'));

const PEOPLE = ['client', 'other client', 'member', "another firm's member", 'operations'] as const;
type Person = (typeof PEOPLE)[number];

/**
 * `own`: a response with data of the firm or the client; `none`: one without; `any`: one that is the same for all, or
 * repeats what the caller sent; otherwise the code of the refusal.
 */
type Outcome = 'own' | 'none' | 'any' | 'forbidden' | 'resource_not_found';

/** A key, a client with an item, a grant between them, and a pending request. */
interface Scene {
  key: Key;
  freeKey: Key;
  grant: Grant;
  /** A grant of a test client of the firm. */
  testGrant: Grant;
  request: Grant;
  /** Another member, with a second factor, and a pending invitation. */
  colleague: User;
  invitation: string;
  /** The id of a call by the key for the client. */
  requestId: string;
}

type Row = [variables: (scene: Scene) => Record<string, unknown>, outcomes: Record<Person, Outcome>];

const outcomes = (...all: [Outcome, Outcome, Outcome, Outcome, Outcome]) =>
  Object.fromEntries(PEOPLE.map((person, at) => [person, all[at]])) as Record<Person, Outcome>;

const [F, N] = ['forbidden', 'resource_not_found'] as const;
const OF_CLIENT = outcomes('own', 'none', F, F, F);
const BY_CLIENT = outcomes('own', N, F, F, F);
const OF_FIRM = outcomes(F, F, 'own', 'none', F);
const BY_FIRM = outcomes(F, F, 'own', N, F);
const OF_BOTH = outcomes('own', 'none', 'own', 'none', F);
const BY_BOTH = outcomes('own', N, 'own', N, F);
const OF_OPERATIONS = outcomes(F, F, F, F, 'own');
const OF_ANYBODY = outcomes('any', 'any', 'any', 'any', 'any');

const nothing = () => ({});
const theGrant = ({ grant }: Scene) => ({ id: grant.id });
const theRequest = ({ request }: Scene) => ({ id: request.id });
const theKey = ({ key }: Scene) => ({ id: key.id });
const byKey = ({ key }: Scene) => ({ keyId: key.id });
const terms = { scopes: ['registry'], filter: { type: 'all' } };

/** A different one for each request of NoteTimeZone. */
const ZONES = ['Asia/Tokyo', 'Asia/Kolkata', 'Europe/Rome', 'Europe/Oslo', 'Europe/Zurich', 'Africa/Cairo'];

/** The outcomes of each operation; an operation without a row fails the test. */
const ROWS: Record<string, Row> = {
  AccessRecord: [nothing, OF_CLIENT],
  AccessRecordItems: [({ requestId }) => ({ requestId }), OF_CLIENT],
  AccessRecordParties: [nothing, OF_CLIENT],
  Activity: [byKey, BY_FIRM],
  ApproveGrant: [theRequest, BY_CLIENT],
  Calls: [byKey, OF_FIRM],
  Categories: [nothing, OF_ANYBODY],
  ChangeGrant: [({ grant }) => ({ id: grant.id, scopes: ['registry'] }), BY_CLIENT],
  ChangeKey: [({ key }) => ({ id: key.id, name: `Changed ${Math.random()}` }), BY_FIRM],
  ClientGrantDetail: [theGrant, BY_BOTH],
  ClientGrants: [nothing, OF_BOTH],
  ConsentHistory: [nothing, OF_CLIENT],
  ConsentFirms: [nothing, OF_CLIENT],
  CreateKey: [() => ({ name: 'New', environment: 'sandbox', scopes: ['registry'] }), outcomes(F, F, 'any', 'none', F)],
  CreateTestClient: [nothing, outcomes(F, F, 'any', 'none', F)],
  DeclineGrant: [theRequest, BY_CLIENT],
  DeleteTestClient: [({ testGrant }) => ({ id: testGrant.clientId }), BY_FIRM],
  FirmEvents: [nothing, OF_FIRM],
  FirmDetails: [nothing, outcomes('any', 'any', 'own', 'none', 'any')],
  FirmKey: [theKey, BY_FIRM],
  FirmKeys: [nothing, OF_FIRM],
  GiveGrant: [({ freeKey }) => ({ keyId: freeKey.id, ...terms }), outcomes('any', 'any', F, F, F)],
  GrantCounts: [nothing, outcomes('any', 'none', 'any', 'none', F)],
  GrantDetail: [theGrant, BY_BOTH],
  Grants: [nothing, OF_BOTH],
  InviteMember: [() => ({ email: newEmail(), name: 'New', role: 'auditor' }), outcomes(F, F, 'any', 'none', F)],
  KeyChoices: [nothing, OF_FIRM],
  KeyUse: [theKey, BY_FIRM],
  KeySummary: [byKey, outcomes('own', 'any', F, F, F)],
  GatewayProcesses: [nothing, outcomes(F, F, F, F, 'any')],
  Limit: [byKey, OF_OPERATIONS],
  LimitHistory: [() => ({ span: 'hour' }), outcomes(F, F, F, F, 'any')],
  Limits: [nothing, OF_OPERATIONS],
  NoteTimeZone: [() => ({ zone: ZONES.pop() }), OF_ANYBODY],
  NotificationSettings: [nothing, OF_ANYBODY],
  OwnCategories: [nothing, outcomes('any', 'none', F, F, F)],
  OwnCollections: [nothing, OF_CLIENT],
  OwnItemIds: [nothing, OF_CLIENT],
  OwnItems: [nothing, OF_CLIENT],
  Preview: [({ grant }) => ({ grantId: grant.id, request: `/api/v1/assets?client_id=${grant.clientId}` }), BY_CLIENT],
  Receipt: [({ grant }) => ({ grantId: grant.id, eventId: '1' }), BY_BOTH],
  RemoveMember: [({ colleague }) => ({ id: colleague.id }), outcomes(F, F, 'any', N, F)],
  RequestGrant: [
    ({ freeKey, grant }) => ({ keyId: freeKey.id, client: grant.clientId, ...terms }),
    outcomes(F, F, 'any', N, F),
  ],
  RequireSecondFactor: [() => ({ required: true }), outcomes(F, F, 'any', 'none', F)],
  ResetMemberFactors: [({ colleague }) => ({ id: colleague.id, reason: 'Lost' }), outcomes(F, F, 'any', N, F)],
  RevokeGrant: [theGrant, BY_CLIENT],
  RevokeKey: [theKey, BY_FIRM],
  RotateKey: [theKey, BY_FIRM],
  SetFirmIdentity: [() => ({ address: `${ZONES.length} High Street` }), outcomes(F, F, 'any', 'any', F)],
  SetNotification: [() => ({ topic: 'requests', mails: false }), outcomes('any', 'any', F, F, F)],
  SetMemberRole: [({ colleague }) => ({ id: colleague.id, role: 'auditor' }), outcomes(F, F, 'any', N, F)],
  SetKeyTier: [({ key }) => ({ keyId: key.id, tier: 'elevated', reason: 'a trial' }), OF_OPERATIONS],
  SetKeyShadow: [({ key }) => ({ keyId: key.id, shadowed: true, reason: 'a trial' }), OF_OPERATIONS],
  SetTierShadow: [() => ({ tier: 'elevated', shadowed: false, reason: 'a trial' }), outcomes(F, F, F, F, 'any')],
  SetFirmLimit: [
    ({ key }) => ({ firmId: key.firmId, perMinute: 60_000, reason: 'a trial' }),
    outcomes(F, F, F, F, 'any'),
  ],
  StopFirm: [() => ({ firmId: firm.id }), outcomes('any', 'any', F, F, F)],
  StepAsTestClient: [({ testGrant }) => ({ id: testGrant.id, step: 'revoke' }), BY_FIRM],
  Team: [nothing, outcomes(F, F, 'own', 'none', F)],
  UnauthenticatedCalls: [nothing, outcomes(F, F, F, F, 'any')],
  SystemState: [nothing, outcomes(F, F, F, F, 'any')],
  TestClientGrants: [
    ({ testGrant }) => ({ clientId: testGrant.clientId, first: 20 }),
    outcomes('none', 'none', 'own', 'none', F),
  ],
  TestClients: [nothing, OF_FIRM],
  TierShadows: [nothing, outcomes(F, F, F, F, 'any')],
  Viewer: [nothing, OF_ANYBODY],
  WhatIf: [() => ({ tier: 'standard' }), outcomes(F, F, F, F, 'any')],
  WithdrawInvitation: [({ invitation }) => ({ id: invitation }), outcomes(F, F, 'any', N, F)],
  WithdrawGrant: [theRequest, BY_FIRM],
};

/** No server listens there: mail only has to be configured. */
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'portico@example.com' };

let gateway: TestGateway;
let firm: Firm;
let owner: User;
let member: User;
let item: Item;
let collectionId: string;
let shared: Scene;
const browsers = {} as Record<Person, Browser>;

beforeAll(async () => {
  const port = String(await freePort());
  const reached = { PORT: port, PORTAL_URL: `http://127.0.0.1:${port}` };
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', ...reached, ...MAIL } });
  const { database } = gateway;
  firm = await makeFirm(database, { name: 'The Firm' });
  owner = await makeOwner(database);
  member = await makeMember(database, firm);
  item = await makeItem(database, owner);
  ({ collectionId } = await furnish(database, owner, item));
  shared = await makeScene();
  const stranger = await makeOwner(database);
  const outsider = await makeMember(database, await makeFirm(database));
  const people = [owner, stranger, member, outsider, await makeOperator(database)];
  for (const [at, person] of people.entries()) browsers[PEOPLE[at] as Person] = await signedIn(gateway.url, person);
  // RequireSecondFactor would otherwise stop the members from everything that follows.
  await database.query({ text: 'update portal_sessions set with_second_factor = true' });
});
afterAll(() => gateway.stop());

async function makeScene(): Promise<Scene> {
  const { database, url } = gateway;
  const keys = [await makeKey(database, firm), await makeKey(database, firm), await makeKey(database, firm)];
  const [key, freeKey, askingKey] = keys as [Key, Key, Key];
  const grant = await makeGrant(database, key, owner);
  const actor = { kind: 'firm_member', id: member.id } as const;
  const wish = { keyId: askingKey.id, client: owner.id, scopes: 1, filter: { type: 'all' }, expiresAt: null } as const;
  const request = await requestGrant(database, { ...wish, purpose: 'Advice' }, actor);
  const testKey = await makeKey(database, firm, { environment: 'sandbox' });
  const testClient = await makeClient(database, { environment: 'sandbox' });
  const text = 'update users set test_firm_id = $1 where id = $2';
  await database.query({ text, values: [firm.id, testClient.id] });
  const testGrant = await makeGrant(database, testKey, testClient);
  // A recorded call.
  const { headers } = await call(`${url}/api/v1/assets?client_id=${owner.id}`, key.secret);
  await until(
    async () => {
      const text = 'select 1 from recorded_calls where key_id = $1';
      return (await database.query({ text, values: [key.id] })).length > 0;
    },
    60_000,
    () => new Error('the call was not recorded'),
  );
  const colleague = await makeMember(database, firm);
  await database.query({
    text: `insert into portal_second_factors (id, account_id, totp_secret, recovery_codes)
      select $1, id, 'sealed', 'sealed' from portal_accounts where email = $2`,
    values: [newId('second_factor'), colleague.email],
  });
  await database.query({
    text: 'update portal_accounts set two_factor_enabled = true where email = $1',
    values: [colleague.email],
  });
  const invited = { email: newEmail(), name: 'New', role: 'auditor' } as const;
  const invitation = (await inviteMember(database, firm.id, invited, actor)).id;
  return {
    key,
    freeKey,
    grant,
    testGrant,
    request,
    colleague,
    invitation,
    requestId: headers.get('x-request-id') ?? '',
  };
}

/** Texts by which a response is known to be about this firm or client. */
const marksOf = ({ key, freeKey, grant, testGrant, request, colleague, invitation }: Scene) => [
  ...[colleague.id, invitation, member.id],
  ...[testGrant.id, testGrant.clientId ?? ''],
  ...[key.id, freeKey.id, grant.id, request.id, request.keyId, firm.id, firm.name, owner.id, owner.email],
  ...[item.registryId, collectionId],
];

function expectOutcome({ status, body, text }: Got, outcome: Outcome, scene: Scene): void {
  const marks = [...marksOf(scene), ...marksOf(shared)].filter((mark) => text.includes(mark));
  const answer = { status, code: body?.error?.code };
  const status200 = { status: 200, code: undefined };
  const refused = { status: outcome === F ? 403 : 404, code: outcome };
  expect(answer).toEqual(outcome === F || outcome === N ? refused : status200);
  if (outcome === 'own') expect(marks).not.toEqual([]);
  if (outcome === 'none') expect(marks).toEqual([]);
}

/** All rows of the firm and the client that an operation could change. */
const rows = async () =>
  JSON.stringify(
    await gateway.database.query({
      text: `select (select json_agg(k order by id) from (
            select id, name, revoked_at, rotated_to, expires_at, tier_override from api_keys where firm_id = $1) k) as keys,
          (select json_agg(g order by id) from grants g where client_id = $2) as grants,
          (select json_agg(u order by id) from users u where firm_id = $1) as members,
          (select json_agg(i order by id) from (select id, outcome from firm_invitations where firm_id = $1) i) as invitations,
          (select count(*) from firm_events where firm_id = $1) as events,
          (select json_agg(m) from muted_topics m) as muted,
          (select json_agg(u order by id) from (select id, deleted_at from users where test_firm_id = $1) u) as tests,
          (select json_agg(g order by g.id) from grants g join users u on u.id = g.client_id where u.test_firm_id = $1) as tried,
          (select array[(select count(*) from limit_shadows), (select count(*) from brief_limits)]) as limits,
          (select json_agg(z) from person_zones z) as zones, (select json_agg(i) from firm_identities i) as identities`,
      values: [firm.id, owner.id],
    }),
  );

it('each operation of the portal has a row, and each row an operation', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(operations).sort());
});

describe.each(Object.entries(ROWS))('%s', (operation, [variables, expected]) => {
  const writes = operations[operation]?.startsWith('mutation') === true;

  it('has the declared outcome for each role, and changes nothing when it is refused', async () => {
    const scene = writes ? await makeScene() : shared;
    const before = await rows();
    expectRefusal(await new Browser(gateway.url).operation(operation, variables(scene)), 401, 'not_signed_in');
    const ends = (person: Person) => /forbidden|not_found/.test(expected[person]);
    for (const person of PEOPLE.filter(ends)) {
      expectOutcome(await browsers[person].operation(operation, variables(scene)), expected[person], scene);
      expect(await rows(), person).toBe(before);
    }
    // The permitted roles come last, because their requests may end what the others must be refused.
    for (const person of PEOPLE.filter((one) => !ends(one)))
      expectOutcome(await browsers[person].operation(operation, variables(scene)), expected[person], scene);
    if (writes) expect(await rows()).not.toBe(before);
  });
});
