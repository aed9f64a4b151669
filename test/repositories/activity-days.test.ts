// Each call is counted once, on the day on which it was made in the reader's time zone.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localDays } from '#core/local-days.ts';
import { tallyCalls, tallyKeyUse } from '#repositories/access-record/activity.ts';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makeMember, recorded } from '#test/support/portal-scene.ts';
import { call, insert, type Key, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** A firm with a key, and one to five calls in every third quarter of an hour of the twelve days before `now`. */
async function makeCalls(now: number): Promise<{ member: User; key: Key; instants: number[] }> {
  const { database } = gateway;
  const firm = await makeFirm(database);
  const key = await makeKey(database, firm);
  const instants: number[] = [];
  for (let day = Math.floor(now / DAY_MS) * DAY_MS - 12 * DAY_MS; day <= now; day += DAY_MS) {
    const quarters = Array.from({ length: 96 }, (_, quarter) => {
      const at = day + quarter * QUARTER_MS;
      return quarter % 3 === 0 && at <= now ? 1 + (quarter % 5) : 0;
    });
    const calls = quarters.reduce((sum, some) => sum + some, 0);
    if (calls === 0) continue;
    for (const [quarter, some] of quarters.entries())
      for (let one = 0; one < some; one++) instants.push(day + quarter * QUARTER_MS + 1);
    await insert(database, 'access_days', {
      ...{ firm_id: firm.id, key_id: key.id, day: new Date(day).toISOString().slice(0, 10), endpoint: 'GET /x' },
      ...{ status: 200, error_code: '', calls, quarters },
    });
  }
  return { member: await makeMember(gateway, firm), key, instants };
}

describe.each([
  ['UTC', '2026-03-31T12:00:00Z'],
  ['Europe/Zurich', '2026-03-31T12:00:00Z'],
  ['Europe/Zurich', '2026-10-27T23:30:00Z'],
  ['America/New_York', '2026-11-03T03:00:00Z'],
  ['Asia/Kathmandu', '2026-06-01T18:20:00Z'],
  ['Pacific/Chatham', '2026-04-07T11:00:00Z'],
  ['America/Santiago', '2026-09-08T12:00:00Z'],
])('in %s, around %s,', (zone, text) => {
  it('each call counts on its local day only', async () => {
    const now = Date.parse(text);
    const { member, key, instants } = await makeCalls(now);
    const tallies = await tallyCalls(gateway.database, member.id, { days: 7, keyId: null, zone, now });
    const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
    const expected = Object.groupBy(instants, (at) => format.format(at));
    const byDay = Object.fromEntries(tallies.flatMap(({ day, calls }) => (day === null ? [] : [[day, calls]])));
    for (const day of localDays(zone, now, 7))
      expect([day, byDay[day] ?? 0]).toEqual([day, expected[day]?.length ?? 0]);
    expect(Object.keys(byDay).length).toBeLessThanOrEqual(7);
    const total = Object.values(byDay).reduce((sum, calls) => sum + calls, 0);
    const byEndpoint = tallies.flatMap(({ endpoint, calls }) => (endpoint === null ? [] : [calls]));
    expect(byEndpoint).toEqual([total]);
    const use = await tallyKeyUse(gateway.database, { firmId: key.firmId, keyId: key.id }, { days: 7, zone, now });
    expect(Object.fromEntries(use.map(({ day, calls }) => [day, calls]))).toEqual(byDay);
    expect(use.length).toBe(Object.keys(byDay).length);
  });
});

it('calls without a known quarter count on the local day of noon in UTC', async () => {
  const { database } = gateway;
  const firm = await makeFirm(database);
  const key = await makeKey(database, firm);
  await insert(database, 'access_days', {
    ...{
      firm_id: firm.id,
      key_id: key.id,
      day: '2026-03-30',
      endpoint: 'GET /x',
      status: 200,
      error_code: '',
      calls: 5,
    },
  });
  const member = await makeMember(gateway, firm);
  const query = { days: 7, keyId: null, zone: 'Asia/Tokyo', now: Date.parse('2026-03-31T12:00:00Z') };
  const tallies = await tallyCalls(database, member.id, query);
  expect(tallies.filter(({ day }) => day !== null)).toMatchObject([{ day: '2026-03-30', calls: 5 }]);
});

it('a call counts in the current quarter of an hour', async () => {
  const { database, url } = gateway;
  const key = await makeKey(database, await makeFirm(database));
  const client = await makeClient(database);
  await makeGrant(database, key, client);
  const quarterOf = () => Math.floor((Date.now() % DAY_MS) / QUARTER_MS);
  const before = quarterOf();
  for (let one = 0; one < 3; one++) await call(`${url}/api/v1/assets?client_id=${client.id}`, key.secret);
  await recorded(gateway, 3, client.id);
  const [row] = await database.query<{ calls: number; quarters: number[] }>({
    text: 'select sum(calls)::int as calls, (array_agg(quarters))[1:1] as quarters from access_days where key_id = $1 group by key_id',
    values: [key.id],
  });
  const [quarters] = (row?.quarters ?? []) as unknown as number[][];
  const within = quarters?.slice(before, quarterOf() + 1).reduce((sum, some) => sum + some, 0);
  expect([row?.calls, quarters?.length, within]).toEqual([3, 96, 3]);
});
