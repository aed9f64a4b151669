// Guarantee: the public size of the ledger does not reveal who is a client.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { TIER_LIMITS } from '#core/tiers.ts';
import { auditLedger } from '#gateway/ledger/audit.ts';
import { LISTED_PER_MINUTE } from '#observability/refusal-bounds.ts';
import { appended } from '#test/support/appended.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/ports.ts';
import { call, makeClient, makeFirm, makeKey } from '#test/support/scenario.ts';

/** Some calls are listed one by one, some only counted, and some refused by the limit. */
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

/** Entries added by `CALLS` calls about this client, made with a key that has no grant. */
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

it('calls add the same number of entries whether or not they name a client, and the ledger has no faults', async () => {
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

it('the audit reports an entry whose record was deleted, and does not count it as one without a client', async () => {
  const { database } = gateway;
  const [removed] = await database.query<{ id: string }>({
    text: 'delete from access_calls where (at, id) = (select at, id from access_calls order by at, id limit 1) returning id',
  });
  expect(removed).toBeDefined();
  const { faults, nobodys } = await auditLedger(database);
  expect(faults).toMatchObject([{ kind: 'missing' }]);
  expect(nobodys).toBe(CALLS);
});
