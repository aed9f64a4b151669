// Who a firm is: its members say it, each change is on record, clients and operations see it, receipts keep what held.

import { expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { firmIdentityAt } from '#repositories/firm-identities.ts';
import { changeGrant } from '#repositories/grants/grants.ts';
import { rotateKey } from '#repositories/keys/keys.ts';
import { KEY_BOUNDS } from '#test/repositories/parties.ts';
import { codeOf } from '#test/support/portal.ts';
import { withScene } from '#test/support/portal-scene.ts';
import { makeFirm, makeKey } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

const scene = withScene();

const NONE = { address: null, website: null, email: null, phone: null };
const SAID = {
  address: '1 High Street\nLondon',
  website: 'https://www.here.example/',
  email: 'clients@here.example',
  phone: '+44 20 7946 0000',
};

const say = (identity: Record<string, unknown>) => scene.here.asMember(MUTATIONS.setFirmIdentity, identity);

const partyOf = async (eventId: string) => {
  const { receipt } = (await scene.here.asClient(QUERIES.receipt, { id: scene.here.grant.id, eventId })).receipt;
  return JSON.parse(receipt).party_identification[1];
};

it('is said by the firm, and seen wherever somebody decides about it; before, nothing is known', async () => {
  const { here, there, asOperator } = scene;
  const before = await here.asClient(QUERIES.grant, { id: here.grant.id });
  expect(before.firmIdentity).toEqual(NONE);
  const [{ id: first }] = before.events;

  expect(await say({ ...SAID, website: 'https://www.here.example', address: ' 1 High Street\r\nLondon ' })).toEqual(
    SAID,
  );
  expect((await here.asClient(QUERIES.grant, { id: here.grant.id })).firmIdentity).toEqual(SAID);
  expect((await here.asClient(QUERIES.grants, { status: ['pending'] })).nodes[0].firmIdentity).toEqual(SAID);
  const { id: keyId } = await makeKey(scene.gateway.database, here.firm);
  expect((await here.asClient(QUERIES.keySummary, { keyId })).firmIdentity).toEqual(SAID);
  expect((await asOperator(QUERIES.limit, { keyId: here.key.id })).firmIdentity).toEqual(SAID);
  expect((await there.asMember(QUERIES.viewer)).firm.identity).toEqual(NONE);

  // A receipt of before says what was known then, and stays so; one of after says the rest.
  expect(await partyOf(first)).toMatchObject({ party_address: null, party_url: null });
  await changeGrant(scene.gateway.database, here.grant.id, { scopes: 1 }, { kind: 'client', id: here.client.id });
  const [{ id: later }] = (await here.asClient(QUERIES.grant, { id: here.grant.id })).events;
  await say({ ...SAID, address: '2 Other Street' });
  expect(await partyOf(first)).toMatchObject({ party_address: null, party_url: null });
  expect(await partyOf(later)).toMatchObject({
    ...{ party_address: SAID.address, party_url: SAID.website },
    ...{ party_email: SAID.email, party_phone: SAID.phone },
  });
});

it('keeps who changed what, and of what stayed as it was nothing', async () => {
  await say(SAID);
  await say({ ...SAID, email: 'other@here.example', phone: '' });
  await say({ ...SAID, email: 'other@here.example', phone: '' });
  const [last, ...earlier] = (await scene.here.asMember(QUERIES.viewer)).firm.identityHistory;
  expect(last).toMatchObject({ parts: ['email', 'phone'], actor: { kind: 'firm_member', name: 'Here Member' } });
  expect(earlier.length).toBeGreaterThan(0);
  expect(earlier.at(-1).parts).toEqual(['address', 'website', 'email', 'phone']);
});

it('leaves alone what is not said: two who change different parts at once keep both, and each state is whole on record', async () => {
  await say(SAID);
  await Promise.all([say({ phone: '+44 20 7946 0001' }), say({ email: 'new@here.example' }), say({ address: '' })]);
  const { firm } = await scene.here.asMember(QUERIES.viewer);
  const whole = { ...SAID, phone: '+44 20 7946 0001', email: 'new@here.example', address: null };
  expect(firm.identity).toEqual(whole);
  expect(
    firm.identityHistory
      .slice(0, 3)
      .flatMap(({ parts }: { parts: string[] }) => parts)
      .sort(),
  ).toEqual([...['address', 'email', 'phone']]);
  expect(await firmIdentityAt(scene.gateway.database, firm.id, new Date().toISOString())).toEqual(whole);
});

it.each([
  ['website', 'http://here.example'],
  ['website', 'javascript:alert(1)'],
  ['website', 'https://portico.example@elsewhere.example/'],
  ['website', 'https://10.0.0.1/'],
  ['website', 'https://localhost/'],
  ['website', 'https://here.example:8443/'],
  ['website', 'here.example'],
  ['email', 'not an address'],
  // The page leads there by a link, in which these would choose who else gets the mail, and what it says.
  ['email', 'office@here.example?bcc=elsewhere&body=Send%20it'],
  ['email', 'office@here.example,elsewhere'],
  ['email', 'office%0a@here.example'],
  ['phone', 'call me'],
  ['phone', '<script>'],
  ['address', 'x'.repeat(501)],
  ['address', 'a\u0000b'],
])('refuses %s "%s", and keeps what it had', async (part, value) => {
  const before = (await scene.here.asMember(QUERIES.viewer)).firm.identity;
  expect(await codeOf(say({ ...SAID, [part]: value }))).toBe('invalid_parameter');
  expect((await scene.here.asMember(QUERIES.viewer)).firm.identity).toEqual(before);
});

it('a key that was handed out leads to the one it was rotated to', async () => {
  const { database } = scene.gateway;
  const firm = await makeFirm(database, { name: 'Rotating' });
  const key = await makeKey(database, firm);
  const { text: _, ...secret } = makeKeySecret('production');
  const { successor } = await rotateKey(
    database,
    key.id,
    { overlapMs: 0, secret },
    { kind: 'operator', id: 'test' },
    KEY_BOUNDS,
  );
  const { keyId, firmName } = await scene.here.asClient(QUERIES.keySummary, { keyId: key.id });
  expect([keyId, firmName]).toEqual([successor.id, 'Rotating']);
});

it('a time zone is one by name, and each person’s own', async () => {
  const { here, there } = scene;
  expect(await here.asClient(MUTATIONS.noteTimeZone, { zone: 'Asia/Kolkata' })).toBe('Asia/Kolkata');
  expect((await here.asClient(QUERIES.viewer)).timeZone).toBe('Asia/Kolkata');
  expect((await there.asClient(QUERIES.viewer)).timeZone).toBeNull();
  for (const zone of ['', '+01:00', 'Europe/Nowhere', '../etc', 'x'.repeat(100)])
    expect(await codeOf(here.asClient(MUTATIONS.noteTimeZone, { zone })), zone).toBe('invalid_parameter');
  expect((await here.asClient(QUERIES.viewer)).timeZone).toBe('Asia/Kolkata');
});
