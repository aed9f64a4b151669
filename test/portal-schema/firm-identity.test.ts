// A firm's identity: its members set it, each change is on record, clients and operations see it, receipts contain it.

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
const IDENTITY = {
  address: '1 High Street\nLondon',
  website: 'https://www.here.example/',
  email: 'clients@here.example',
  phone: '+44 20 7946 0000',
};

const setIdentity = (identity: Record<string, unknown>) => scene.here.asMember(MUTATIONS.setFirmIdentity, identity);

const partyOf = async (eventId: string) => {
  const { receipt } = (await scene.here.asClient(QUERIES.receipt, { id: scene.here.grant.id, eventId })).receipt;
  return JSON.parse(receipt).party_identification[1];
};

it('the identity is empty until set, then shown wherever access is decided and in later receipts', async () => {
  const { here, there, asOperator } = scene;
  const before = await here.asClient(QUERIES.grant, { id: here.grant.id });
  expect(before.firmIdentity).toEqual(NONE);
  const [{ id: first }] = before.events;

  expect(
    await setIdentity({ ...IDENTITY, website: 'https://www.here.example', address: ' 1 High Street\r\nLondon ' }),
  ).toEqual(IDENTITY);
  expect((await here.asClient(QUERIES.grant, { id: here.grant.id })).firmIdentity).toEqual(IDENTITY);
  expect((await here.asClient(QUERIES.grants, { status: ['pending'] })).nodes[0].firmIdentity).toEqual(IDENTITY);
  const { id: keyId } = await makeKey(scene.gateway.database, here.firm);
  expect((await here.asClient(QUERIES.keySummary, { keyId })).firmIdentity).toEqual(IDENTITY);
  expect((await asOperator(QUERIES.limit, { keyId: here.key.id })).firmIdentity).toEqual(IDENTITY);
  expect((await there.asMember(QUERIES.viewer)).firm.identity).toEqual(NONE);

  // A receipt of a step before the identity was set never has it; one of a later step does.
  expect(await partyOf(first)).toMatchObject({ party_address: null, party_url: null });
  await changeGrant(scene.gateway.database, here.grant.id, { scopes: 1 }, { kind: 'client', id: here.client.id });
  const [{ id: later }] = (await here.asClient(QUERIES.grant, { id: here.grant.id })).events;
  await setIdentity({ ...IDENTITY, address: '2 Other Street' });
  expect(await partyOf(first)).toMatchObject({ party_address: null, party_url: null });
  expect(await partyOf(later)).toMatchObject({
    ...{ party_address: IDENTITY.address, party_url: IDENTITY.website },
    ...{ party_email: IDENTITY.email, party_phone: IDENTITY.phone },
  });
});

it('the history names who changed which parts, and has no entry if nothing changed', async () => {
  await setIdentity(IDENTITY);
  await setIdentity({ ...IDENTITY, email: 'other@here.example', phone: '' });
  await setIdentity({ ...IDENTITY, email: 'other@here.example', phone: '' });
  const [last, ...earlier] = (await scene.here.asMember(QUERIES.viewer)).firm.identityHistory;
  expect(last).toMatchObject({ parts: ['email', 'phone'], actor: { kind: 'firm_member', name: 'Here Member' } });
  expect(earlier.length).toBeGreaterThan(0);
  expect(earlier.at(-1).parts).toEqual(['address', 'website', 'email', 'phone']);
});

it('parts that are not named stay: concurrent changes of different parts are all kept and recorded', async () => {
  await setIdentity(IDENTITY);
  await Promise.all([
    setIdentity({ phone: '+44 20 7946 0001' }),
    setIdentity({ email: 'new@here.example' }),
    setIdentity({ address: '' }),
  ]);
  const { firm } = await scene.here.asMember(QUERIES.viewer);
  const whole = { ...IDENTITY, phone: '+44 20 7946 0001', email: 'new@here.example', address: null };
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
  // In the page's mailto link, these would add recipients or choose the text.
  ['email', 'office@here.example?bcc=elsewhere&body=Send%20it'],
  ['email', 'office@here.example,elsewhere'],
  ['email', 'office%0a@here.example'],
  ['phone', 'call me'],
  ['phone', '<script>'],
  ['address', 'x'.repeat(501)],
  ['address', 'a\u0000b'],
])('%s "%s" is refused, and the identity stays', async (part, value) => {
  const before = (await scene.here.asMember(QUERIES.viewer)).firm.identity;
  expect(await codeOf(setIdentity({ ...IDENTITY, [part]: value }))).toBe('invalid_parameter');
  expect((await scene.here.asMember(QUERIES.viewer)).firm.identity).toEqual(before);
});

it('the id of a rotated key leads to its successor', async () => {
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

it('a time zone is known by its name, and belongs to one person', async () => {
  const { here, there } = scene;
  expect(await here.asClient(MUTATIONS.noteTimeZone, { zone: 'Asia/Kolkata' })).toBe('Asia/Kolkata');
  expect((await here.asClient(QUERIES.viewer)).timeZone).toBe('Asia/Kolkata');
  expect((await there.asClient(QUERIES.viewer)).timeZone).toBeNull();
  for (const zone of ['', '+01:00', 'Europe/Nowhere', '../etc', 'x'.repeat(100)])
    expect(await codeOf(here.asClient(MUTATIONS.noteTimeZone, { zone })), zone).toBe('invalid_parameter');
  expect((await here.asClient(QUERIES.viewer)).timeZone).toBe('Asia/Kolkata');
});
