// Guarantee: of every table it is known what an erasure leaves in it, so that none is forgotten.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressDigest } from '#core/address-digest.ts';
import { packNumbers } from '#core/disclosure.ts';
import type { AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Database } from '#database/database.ts';
import { limitRequests } from '#gateway/consent/allowances.ts';
import { appendPending } from '#gateway/ledger/append.ts';
import { eraseClient, finishErasures } from '#gateway/personal-data/erase.ts';
import { eraseFirmWithin, eraseUser } from '#gateway/personal-data/erase-user.ts';
import { takeAllowance } from '#repositories/accounts/allowances.ts';
import { setFirmIdentity } from '#repositories/firm-identities.ts';
import { recordFirmEvent } from '#repositories/firms/firm-events.ts';
import { inviteMember, linkInvitation } from '#repositories/firms/invitations.ts';
import { setFirmRole } from '#repositories/firms/members.ts';
import { approveGrant, requestGrant } from '#repositories/grants/grants.ts';
import { notifyFirstUses } from '#repositories/notices/noticed.ts';
import { createTestClient } from '#repositories/sandbox/test-clients.ts';
import { createUser } from '#repositories/users.ts';
import { asClient, asMember, makeMember, openMigrated, operator } from '#test/repositories/parties.ts';
import { plantAccount, plantClient } from '#test/support/planted.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { insert, type Key, makeFirm, makeKey } from '#test/support/scenario.ts';
import { rowsOfTables, tracesIn } from '#test/support/traces.ts';

const TERMS = { scopes: ALL_SCOPES, filter: { type: 'all' }, expiresAt: null } as const;
const REQUEST = { reason: 'Asked for it', actor: operator } as const;

/** Tables that have nothing of a person, even under an id. A new table is added here, or to what `makeTraced` fills. */
const OF_NOBODY = [
  // What the deployment is, and what it offers.
  ...['categories', 'database_run', 'deployment', 'document_types', 'expected_triggers', 'mikro_orm_migrations'],
  ...['notice_looks', 'service_tokens', 'signing_keys', 'valuation_sources'],
  // Firms, their keys and limits. Who created a key is an id, which stays.
  ...['api_keys', 'brief_limits', 'firm_identities', 'firms', 'key_events', 'limit_shadows', 'limit_sums'],
  // Calls by their key, day, shape and origin: a person's are joined through access_pairs.
  ...['access_days', 'access_keys', 'access_origins', 'access_shapes', 'access_writers', 'stranger_days'],
  // The log: salted hashes and places.
  ...['ledger', 'ledger_batches', 'ledger_begin', 'ledger_bundles', 'ledger_erasures', 'ledger_pending'],
  ...['ledger_publication', 'ledger_steps', 'ledger_tiles', 'ledger_witnesses'],
  // Gateways, months of the archive, and area B.
  ...['change_log', 'gateway_processes', 'record_archive', 'record_archive_months'],
  ...['plant_accounts', 'plant_tokens', 'plants'],
];

/** Tables in which only an erasure leaves something of the clients here. */
const FILLED_LATER = ['erased_subjects', 'revocations'];

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
});
afterAll(() => close?.());

async function appendAll(): Promise<void> {
  while ((await appendPending(database, null)) > 0);
}

const finish = () => database.transaction((sql) => finishErasures(sql, null));

const callOf = (key: Key, clientId: string, more: Partial<AccessEvent> = {}): AccessEvent => ({
  ...{ requestId: newId('request'), at: new Date().toISOString(), endpoint: 'GET /api/v1/assets', registryId: null },
  ...{ status: 200, errorCode: null, firmId: key.firmId, keyId: key.id, scopes: ALL_SCOPES, clientId },
  version: '2025-01-01',
  ...more,
});

const READ = { disclosure: { items: packNumbers([1]), removed: null, scopes: 3, includes: 0 } };
const REFUSED = { scopes: 0, status: 403, errorCode: 'no_active_grant' };

/** A client of whom each table has something that can have something of a client. */
async function makeTraced() {
  const [firm, stranger] = [await makeFirm(database), await makeFirm(database)];
  const member = await makeMember(database, firm);
  const [key, second, asking] = [
    await makeKey(database, firm),
    await makeKey(database, firm),
    await makeKey(database, firm),
  ];
  const elsewhere = await makeKey(database, firm, { environment: 'sandbox' });
  const { client, accountId, items, readable, internal } = await plantClient(database, [key, asking]);
  const { id, email } = client;
  const [approved, unreached] = [`Approved ${newId('grant')}`, `Unreached ${newId('grant')}`];
  const ask = (of: Key, purpose: string) =>
    requestGrant(database, { keyId: of.id, client: email, purpose, ...TERMS }, asMember(member));
  await approveGrant(database, (await ask(second, approved)).id, {}, asClient(client));
  await ask(elsewhere, unreached);
  const grants = await database.query<{ id: string; status: string }>({
    text: 'select id, status from grants where client_id = $1 or lower(addressee) in ($2, lower($1))',
    values: [id, email],
  });
  const idsOf = (active: boolean) =>
    grants.flatMap((grant) => ((grant.status === 'active') === active ? [grant.id] : []));
  const at = new Date().toISOString();
  await notifyFirstUses(
    database,
    idsOf(true).map((grantId) => ({ grantId, at })),
  );
  const [{ registryId } = { registryId: '' }] = items;
  await saveCalls(database, [
    callOf(key, id, { registryId, ...READ }),
    callOf(await makeKey(database, stranger), id, { ...REFUSED, namedClientId: id }),
  ]);
  // As the previous release saves calls.
  await insert(database, 'access_records', {
    ...{ request_id: newId('request'), at, firm_id: firm.id, key_id: key.id, client_id: id, scopes: ALL_SCOPES },
    ...{ endpoint: 'GET /api/v1/assets', status: 200, related: true },
  });
  await takeAllowance(database, `reset:${addressDigest(email)}`, { max: 5, hours: 1 }, '');
  await limitRequests(database, firm.id, email);
  await database.query({ text: 'delete from items where registry_id = $1', values: [registryId] });
  await appendAll();
  return {
    client,
    key,
    marks: {
      text: [...readable, ...internal, approved, unreached],
      address: [email, addressDigest(email)],
      person: [id],
      account: [accountId],
      active: idsOf(true),
      requests: idsOf(false),
      items: items.flatMap((item) => [item.id, item.registryId]),
    },
  };
}

/** What stays of a client for as long as the table keeps it: ids alone (docs/personal-data.md). */
const STAYS_OF_CLIENT = {
  access_pairs: ['person'],
  changes: ['person'],
  deleted_ids: ['items'],
  erased_subjects: ['person'],
  // Acts of the firms, without the addressee, and the pseudonym of one whom a firm had invited.
  firm_events: ['person', 'active', 'requests'],
  firm_invitations: ['person'],
  item_changes: ['person', 'items'],
  removals: ['person', 'items'],
  revocations: ['person', 'account', 'active', 'requests'],
};

/** What partners learn the removals by, until the grants end. */
const STAYS_FOR_PARTNERS = {
  deleted_items: ['person', 'items'],
  grant_events: ['active'],
  grants: ['person', 'active'],
  // To members of the firms.
  notices: ['active'],
  users: ['person'],
};

describe('of an erased client', () => {
  it('every table that can have something keeps ids at most, and grants only until they end', async () => {
    const { client, key, marks } = await makeTraced();
    const other = await makeTraced();
    const filled = await tracesIn(database, marks);
    const known = [...Object.keys(filled), ...OF_NOBODY, ...FILLED_LATER].sort();
    expect(known).toEqual([...(await rowsOfTables(database)).keys()].sort());
    const others = await tracesIn(database, other.marks);

    const request = { id: client.id, ...REQUEST };
    await eraseClient(database, request, { portalUrl: null, noticeDays: 30 });
    expect(await tracesIn(database, marks)).toEqual({ ...STAYS_OF_CLIENT, ...STAYS_FOR_PARTNERS });

    // Calls from before, which a gateway saves late.
    await saveCalls(database, [callOf(key, client.id, READ)]);
    await appendAll();
    await database.query({
      text: 'update erased_subjects set grants_end_at = now_ms() where id = $1',
      values: [client.id],
    });
    await database.query({ text: 'update grants set expires_at = now_ms() where client_id = $1', values: [client.id] });
    expect(await finish()).toBe(1);
    expect(await tracesIn(database, marks)).toEqual(STAYS_OF_CLIENT);

    await saveCalls(database, [callOf(key, client.id, READ)]);
    await appendAll();
    expect((await tracesIn(database, marks)).ledger_subjects).toEqual(['person']);
    expect(await finish()).toBe(1);
    expect(await tracesIn(database, marks)).toEqual(STAYS_OF_CLIENT);
    expect(await tracesIn(database, other.marks)).toEqual(others);
  });

  it('ids alone are left at once without days of notice', async () => {
    const { client, marks } = await makeTraced();
    await eraseClient(database, { id: client.id, ...REQUEST }, { portalUrl: null, noticeDays: 0 });
    expect(await tracesIn(database, marks)).toEqual(STAYS_OF_CLIENT);
  });

  it('no session is left in an account that is also another client’s', async () => {
    const { client, marks } = await makeTraced();
    const twin = { role: 'client', email: client.email, name: 'Twin', environment: 'sandbox' } as const;
    await createUser(database, { ...twin, reportingCurrency: 'USD' });
    // With notice, so that the session does not go with the client's row.
    await eraseClient(database, { id: client.id, ...REQUEST }, { portalUrl: null, noticeDays: 30 });
    const left = await tracesIn(database, marks);
    expect(left.portal_accounts).toContain('address');
    expect(left).not.toHaveProperty('portal_sessions');
  });
});

/** A member of whom each table has something that can have something of a member. */
async function makeTracedMember() {
  const firm = await makeFirm(database);
  const administrator = await makeMember(database, firm);
  const marked = newId('user');
  const text: string[] = [];
  const plant = (what: string) => {
    text.push(`${what}-${text.length}-${marked}`);
    return text.at(-1) ?? '';
  };
  const [email, name] = [`${plant('mail')}@example.com`, plant('Name')];
  const invitation = await inviteMember(database, firm.id, { email, name, role: 'developer' }, operator);
  await linkInvitation(database, invitation.id);
  const member = await createUser(database, { role: 'firm_member', email, name, firmId: firm.id });
  await setFirmRole(database, firm.id, member.id, 'auditor', asMember(administrator));
  const accountId = await plantAccount(database, member, { plant, hide: plant });
  await recordFirmEvent(database, {
    ...{ firmId: firm.id, actor: asMember(administrator), action: 'factor_reset', subject: member.id },
    details: { name, email, reason: plant('reason') },
  });
  await insert(database, 'notices', {
    ...{
      kind: 'firm_limit_near',
      recipient: member.id,
      subject: (await makeKey(database, firm)).id,
      occurrence: 'day',
    },
  });
  await takeAllowance(database, `reset:${addressDigest(email)}`, { max: 5, hours: 1 }, '');
  await database.query({ text: 'analyze' });
  const marks = { text, address: [email, addressDigest(email)], person: [member.id], account: [accountId] };
  return { firm, administrator, member, marks };
}

/** What stays of a member: ids, and the pseudonym that is made of one. */
const STAYS_OF_MEMBER = {
  changes: ['person'],
  erased_subjects: ['person'],
  firm_events: ['person'],
  firm_invitations: ['person'],
  revocations: ['person', 'account'],
  users: ['person'],
};

const samples = async (): Promise<string> =>
  JSON.stringify(await database.query({ text: `select * from pg_stats where schemaname = 'public'` }));

describe('of an erased member', () => {
  it('every table keeps ids at most, and the planner no samples', async () => {
    const { member, marks } = await makeTracedMember();
    // A column of a single row has no samples.
    await makeTracedMember();
    const sampled = await samples();
    expect(marks.text.filter((mark) => sampled.includes(mark)).length).toBeGreaterThan(5);
    await eraseUser(database, { id: member.id, ...REQUEST }, { portalUrl: null, noticeDays: 30 });
    expect(await tracesIn(database, marks)).toEqual(STAYS_OF_MEMBER);
    const after = await samples();
    expect(marks.text.filter((mark) => after.includes(mark))).toEqual([]);
  });
});

describe('of an ended firm', () => {
  it('nothing names its members, or those whom it invited, and only its receipts have its address', async () => {
    const { firm, administrator, marks } = await makeTracedMember();
    const [invited, street] = [newId('invitation'), `${newId('firm')} High Street`];
    const invitation = { email: `${invited.toLowerCase()}@example.com`, name: `Invited ${invited}` };
    const { id } = await inviteMember(database, firm.id, { ...invitation, role: 'auditor' }, operator);
    await linkInvitation(database, id);
    const identity = { address: street, email: 'office@example.com' };
    await database.transaction((sql) => setFirmIdentity(sql, firm.id, identity, asMember(administrator)));
    const testClient = await createTestClient(database, { firmId: firm.id, seed: 1 }, operator, 10);
    const found = { ...marks, invited: [invited], street: [street], test_client: [testClient.id] };
    expect(await tracesIn(database, found)).toMatchObject({
      ...{ firm_identities: ['street'], items: ['test_client'], collections: ['test_client'] },
      firm_invitations: ['text', 'address', 'invited'],
    });
    await database.transaction((sql) => eraseFirmWithin(sql, { id: firm.id, ...REQUEST }, { portalUrl: null }));
    expect(await tracesIn(database, found)).toEqual({
      ...STAYS_OF_MEMBER,
      ...{ changes: ['person', 'test_client'], users: ['person', 'test_client'] },
      ...{ deleted_items: ['test_client'], removals: ['test_client'], portfolio_totals: ['test_client'] },
      revocations: ['person', 'account', 'test_client'],
      // Receipts show the address as of their step.
      firm_events: ['person', 'street', 'test_client'],
    });
  });

  it('an open invitation is withdrawn, and one that has ended keeps its outcome', async () => {
    const firm = await makeFirm(database);
    const invite = (name: string) =>
      inviteMember(database, firm.id, { name, email: `${newId('invitation')}@example.com`, role: 'auditor' }, operator);
    const [open, accepted] = [await invite('Open'), await invite('Accepted')];
    await database.query({
      text: `update firm_invitations set outcome = 'accepted', ended_at = '2026-01-02T03:04:05Z' where id = $1`,
      values: [accepted.id],
    });
    await database.transaction((sql) => eraseFirmWithin(sql, { id: firm.id, ...REQUEST }, { portalUrl: null }));
    const found = await database.query<{ id: string; outcome: string; at: string; link: string | null }>({
      text: 'select id, outcome, ended_at as at, link_hash as link from firm_invitations where firm_id = $1 order by outcome',
      values: [firm.id],
    });
    expect(found).toEqual([
      { id: accepted.id, outcome: 'accepted', at: '2026-01-02T03:04:05.000Z', link: null },
      { id: open.id, outcome: 'withdrawn', at: expect.any(String), link: null },
    ]);
  });
});
