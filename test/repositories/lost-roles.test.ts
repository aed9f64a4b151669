// A change in a firm that waits for the firm's lock is judged by the role that its actor has after the wait.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import type { Actor } from '#core/actor.ts';
import type { FirmRole } from '#core/firm-roles.ts';
import type { Database } from '#database/database.ts';
import { firmIdentities, setFirmIdentity } from '#repositories/firm-identities.ts';
import { setFirmRole } from '#repositories/firms/members.ts';
import { type Firm, lockFirm } from '#repositories/firms.ts';
import { listKeys } from '#repositories/keys/key-queries.ts';
import { createKey, rotateKey } from '#repositories/keys/keys.ts';
import { createTestClient, deleteTestClient, listTestClients } from '#repositories/sandbox/test-clients.ts';
import {
  asMember,
  KEY_BOUNDS,
  makeFirm,
  makeKey,
  makeMember,
  newKey,
  openMigrated,
  operator,
} from '#test/repositories/parties.ts';
import { untilBlocked } from '#test/support/locks.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
});
afterAll(() => close?.());

let firm: Firm;
let actor: Actor;
let keyId: string;
let clientId: string;
beforeEach(async () => {
  firm = await makeFirm(database);
  actor = asMember(await makeMember(database, firm));
  keyId = (await makeKey(database, firm)).id;
  clientId = (await createTestClient(database, { firmId: firm.id, seed: 1 }, operator, 10)).id;
});

/** What the acts below change. */
const state = async () => ({
  keys: await listKeys(database, { firmId: firm.id }),
  clients: await listTestClients(database, firm.id),
  identity: (await firmIdentities(database, [firm.id])).get(firm.id),
});

const setAddress = () => database.transaction((sql) => setFirmIdentity(sql, firm.id, { address: 'Mill Lane' }, actor));

const ACTS: [act: string, work: () => Promise<unknown>][] = [
  ['createKey', () => createKey(database, newKey(firm), actor, KEY_BOUNDS)],
  ['rotateKey', () => rotateKey(database, keyId, { secret: makeKeySecret('sandbox') }, actor, KEY_BOUNDS)],
  ['createTestClient', () => createTestClient(database, { firmId: firm.id, seed: 2 }, actor, 10)],
  ['deleteTestClient', () => deleteTestClient(database, { firmId: firm.id, id: clientId }, actor)],
  ['setFirmIdentity', setAddress],
];

const LOSSES: [loss: string, text: string, code: string][] = [
  ['became an auditor', `update users set firm_role = 'auditor' where id = $1`, 'forbidden'],
  ['was removed', 'update users set removed_at = now_ms() where id = $1', 'resource_not_found'],
];

describe.each(ACTS)('%s', (_, work) => {
  it.each(LOSSES)('changes nothing for a member who %s while it waited', async (_loss, text, code) => {
    const before = await state();
    let waiting: Promise<unknown> = Promise.resolve();
    await database.transaction(async (sql) => {
      await lockFirm(sql, firm.id);
      waiting = expect(work()).rejects.toMatchObject({ name: 'Refusal', code });
      await untilBlocked(database);
      await sql.query({ text, values: [actor.id] });
    });
    await waiting;
    expect(await state()).toEqual(before);
  });
});

it.each<[FirmRole, string[]]>([
  ['administrator', []],
  ['developer', ['setFirmIdentity']],
  ['auditor', ACTS.map(([act]) => act)],
])('a member who is %s is refused %j', async (role, refused) => {
  await makeMember(database, firm);
  await setFirmRole(database, firm.id, actor.id, role, operator);
  for (const [act, work] of ACTS) {
    const outcome = await work().then(
      () => null,
      ({ code }) => code,
    );
    expect(outcome, act).toBe(refused.includes(act) ? 'forbidden' : null);
  }
});
