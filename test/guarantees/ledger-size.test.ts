// Guarantee: how many entries the ledger has, which everybody can read, tells nobody who is a client.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { TIER_LIMITS } from '#core/tiers.ts';
import { auditLedger } from '#gateway/ledger/audit.ts';
import { LISTED_PER_MINUTE } from '#observability/refusal-bounds.ts';
import { appended } from '#test/support/appended.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/ports.ts';
import { call, makeClient, makeFirm, makeKey } from '#test/support/scenario.ts';

/** Some that are listed one by one, some that are only counted, and some that the limit refuses. */
const CALLS = TIER_LIMITS.sandbox + 5;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

async function size(): Promise<number> {
  const note = await (await fetch(`${gateway.url}/ledger/checkpoint`)).text();
  return Number(note.split('\n')[1]);
}

/** By how much it grows with so many calls about this client, by a key that nobody has granted anything. */
async function growth(clientId: string): Promise<number> {
  const { database, url } = gateway;
  const key = await makeKey(database, await makeFirm(database), { environment: 'sandbox' });
  await appended(database);
  const before = await size();
  for (let sent = 0; sent < CALLS; sent++) await call(`${url}/api/v1/assets?client_id=${clientId}`, key.secret);
  const text = 'select coalesce(sum(calls), 0)::integer as calls from access_days where key_id = $1';
  const counted = async () => (await database.query<{ calls: number }>({ text, values: [key.id] }))[0]?.calls;
  await until(
    async () => (await counted()) === CALLS,
    60_000,
    () => new Error('the calls were not recorded'),
  );
  await appended(database);
  return (await size()) - before;
}

it('grows alike whether a call is about a client or about nobody, and holds', async () => {
  expect(LISTED_PER_MINUTE).toBeLessThan(TIER_LIMITS.sandbox);
  const { database } = gateway;
  const [here, elsewhere] = [await makeClient(database, { environment: 'sandbox' }), await makeClient(database)];
  expect([await growth(here.id), await growth(elsewhere.id), await growth(newId('user'))]).toEqual([
    CALLS,
    CALLS,
    CALLS,
  ]);
  expect(await auditLedger(database)).toMatchObject({ faults: [], waiting: 0, nobodys: CALLS });
});

it('does not take the entry of a call whose record was removed for one of nobody', async () => {
  const { database } = gateway;
  const [removed] = await database.query<{ id: string }>({
    text: 'delete from access_calls where (at, id) = (select at, id from access_calls order by at, id limit 1) returning id',
  });
  expect(removed).toBeDefined();
  const { faults, nobodys } = await auditLedger(database);
  expect(faults).toMatchObject([{ kind: 'missing' }]);
  expect(nobodys).toBe(CALLS);
});
