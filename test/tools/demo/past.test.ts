// The history in the demo data: recorded calls, keys and grants.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDemo, loadDemo } from '#cli/demo.ts';
import { routes } from '#rest-facade/routes/index.ts';
import { openMigrated } from '#test/repositories/parties.ts';

type Opened = Awaited<ReturnType<typeof openMigrated>>;
type Demo = Awaited<ReturnType<typeof loadDemo>>;

let opened: Opened;
let demo: Demo;
beforeAll(async () => {
  opened = await openMigrated();
  demo = await loadDemo(opened.database, settings);
});
afterAll(() => opened.close());

const settings = { host: '0.0.0.0', port: 8123, platformPrefix: 'PTC' };
const rows = (text: string) => opened.database.query<Record<string, unknown>>({ text });
const expectNoCalls = async (condition: string) =>
  expect(await rows(`select r.* from recorded_calls r where ${condition} limit 3`)).toEqual([]);

describe('the history of the demo', () => {
  it('has a few hundred calls of each client within the last 30 days, all counted by day', async () => {
    const calls = await rows('select client_id, count(*) as calls from recorded_calls group by 1');
    expect(calls.map(({ client_id }) => client_id).sort()).toEqual(demo.clients.map(({ id }) => id).sort());
    for (const { calls: count } of calls) expect(count).toSatisfy((many: number) => many > 100 && many < 600);
    await expectNoCalls(`r.at > now() or r.at < now() - interval '30 days' or not r.related`);
    const [sums] = await rows(
      'select (select count(*) from recorded_calls) as calls, (select sum(calls)::int from access_days) as counted',
    );
    expect(sums?.counted).toBe(sums?.calls);
  });

  it('has 200, 304 and each kind of refusal, with calls over the limit on one day, and calls of every endpoint', async () => {
    const outcomes = await rows(
      `select status, coalesce(error_code, '') as code, count(distinct (at at time zone 'UTC')::date) as days,
        count(*) as calls from recorded_calls group by 1, 2 order by 1, 2`,
    );
    expect(outcomes.map(({ status, code }) => `${status} ${code}`.trim())).toEqual([
      '200',
      '304',
      '403 asset_not_in_grant',
      '403 insufficient_scope',
      '404 asset_not_found',
      '429 rate_limit_exceeded',
    ]);
    expect(outcomes.find(({ status }) => status === 404)?.calls).toBe(2);
    expect(outcomes.find(({ status }) => status === 429)?.days).toBe(1);
    const called = await rows('select distinct endpoint from recorded_calls');
    expect(called.map(({ endpoint }) => endpoint).sort()).toEqual(routes.map(({ path }) => `GET ${path}`).sort());
  });

  it('has no call that the grant of the time did not allow', async () => {
    await expectNoCalls(`r.status < 400 and r.registry_id is not null
      and not exists (select from items i where i.registry_id = r.registry_id and i.client_id = r.client_id)`);
    await expectNoCalls(`not exists (select from api_keys k join grants g on g.lineage_id = k.lineage_id
      where k.id = r.key_id and g.client_id = r.client_id and r.at >= k.created_at and r.at >= g.activated_at
        and (g.ended_at is null or r.at <= g.ended_at) and (k.revoked_at is null or r.at <= k.revoked_at)
        and (k.expires_at is null or r.at <= k.expires_at) and r.scopes = k.scopes & g.scopes)`);
    await expectNoCalls(`r.status < 400 and r.registry_id is not null and exists (
      select from api_keys k join grants g on g.lineage_id = k.lineage_id join grant_events e on e.grant_id = g.id
      where k.id = r.key_id and g.client_id = r.client_id and g.filter ->> 'type' = 'items' and e.action = 'change'
        and r.at > e.at and not g.filter -> 'items' ? r.registry_id)`);
  });

  it('sets the last use of every key to its last call', async () => {
    const used = await rows(
      `select k.last_used_at >= (select max(at) from recorded_calls where key_id = k.id) - interval '1 second' as moved
       from api_keys k where exists (select from recorded_calls where key_id = k.id)`,
    );
    expect(used.length).toBeGreaterThan(4);
    expect(used.every(({ moved }) => moved === true)).toBe(true);
  });

  it('has keys and grants in several states, with their steps in order of time', async () => {
    const keys = await rows(
      `select case when revoked_at is not null then 'revoked' when rotated_to is not null then 'rotated' else 'active' end
        as state, count(*) as count from api_keys group by 1 order by 1`,
    );
    expect(keys).toEqual([
      { state: 'active', count: demo.keys.length },
      { state: 'revoked', count: 1 },
      { state: 'rotated', count: 1 },
    ]);
    expect(await rows('select status, count(*) as count from grants group by 1 order by 1')).toEqual([
      { status: 'active', count: demo.grants.length },
      { status: 'declined', count: 1 },
      { status: 'pending', count: 1 },
      { status: 'revoked', count: 1 },
    ]);
    const soon = `select id from grants where status = 'active' and expires_at <= now() + interval '6 days'`;
    expect(await rows(soon)).toHaveLength(1);
    const steps = 'select g.client_id, e.at, e.id from grant_events e join grants g on g.id = e.grant_id order by';
    expect(await rows(`${steps} 1, 2, 3`)).toEqual(await rows(`${steps} 1, 3`));
    expect(await rows(`select 1 from grants where created_at > now() - interval '1 day'`)).toEqual([]);
    expect(describeDemo(demo)).toContain('until ');
  });

  it('does not grow when the demo is loaded again', async () => {
    const record = 'select count(*) as calls, max(at)::text as latest from recorded_calls';
    const ended = `select count(*) as ended from api_keys where rotated_to is not null or name = 'Demo: pilot'`;
    const declined = `select count(*) as declined from grants where status = 'declined'`;
    const before = [await rows(record), await rows(ended), await rows(declined)];
    await loadDemo(opened.database, settings);
    expect([await rows(record), await rows(ended), await rows(declined)]).toEqual(before);
  });
});
