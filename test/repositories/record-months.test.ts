// The months of the access record are created ahead and dropped after retention, without blocking readers or writers.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AccessEvent, dayOf } from '#core/events.ts';
import { newId, requestIdOf, requestUuid, uuidEnd } from '#core/ids.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { addMonths, daysAhead, listMonths } from '#repositories/access-record/partitions.ts';
import { applyRetention } from '#repositories/access-record/retention.ts';
import { openAccessWriter } from '#repositories/access-record/writer.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { makeFirm, makeKey } from '#test/support/scenario.ts';

const DAY_MS = 86_400_000;
const FOR_EVER = {};
const NOTHING = { added: [], dropped: [], archived: [], removed: [], left: [] };

let created: TestDatabase;
let database: Database;
beforeEach(async () => {
  created = await createMigratedDatabase();
  database = await openDatabase({ url: created.url });
});
afterEach(async () => {
  await database.close();
  await created.drop();
});

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

const callAt = (at: string, changes: Partial<AccessEvent> = {}): AccessEvent => ({
  ...{ requestId: newId('request'), at, firmId: 'frm_1', keyId: 'key_1', clientId: 'usr_1', endpoint: 'GET /a' },
  ...{ registryId: null, scopes: 3, status: 200, errorCode: null, tookMs: 1.234, address: '192.0.2.1', userAgent: 'x' },
  ...changes,
});

const batch = (number: number, events: AccessEvent[], writer = '00000000-0000-0000-0000-000000000001') => ({
  ...{ writer, number, calls: events.map((event) => ({ event, listed: true })) },
  ...{ attempts: [], counts: [], strangers: [] },
});

const count = async (table: string): Promise<number> => {
  const [row] = await database.query<{ count: number }>({ text: `select count(*) from ${table}` });
  return row?.count ?? -1;
};
/** Another session, in which this was executed. */
const otherSession = async (text: string): Promise<Client> => {
  const client = new Client({ connectionString: created.url });
  await client.connect();
  await client.query(text);
  return client;
};
const READS = 'begin; select count(*) from access_calls';
const LATE = { name: 'access_calls_2019_05', at: '2019-05-31T23:59:59.999Z' };
const stateOfLate = async () => (await listMonths(database)).find(({ name }) => name === LATE.name)?.state;

/** Leaves the state of a detach that was cancelled while it waited for a reader. */
async function leaveHalfDetached(): Promise<void> {
  await addMonths(database, ['2019-05-01']);
  const reader = await otherSession(READS);
  const detaching = await otherSession("set lock_timeout = '50ms'");
  await expect(
    detaching.query(`alter table access_calls detach partition ${LATE.name} concurrently`),
  ).rejects.toMatchObject({ code: '55P03' });
  await Promise.all([reader.end(), detaching.end()]);
  expect(await stateOfLate()).toBe('leaving');
}

const names = async () => (await listMonths(database)).map(({ name }) => name);

describe('months', () => {
  it('exist two ahead, and missing ones are created again', async () => {
    expect(await daysAhead(database)).toBeGreaterThanOrEqual(58);
    const before = await names();
    expect(before).toHaveLength(6);
    expect(await applyRetention(database, FOR_EVER)).toEqual(NOTHING);
    const [first, second] = before;
    for (const name of [second, first]) {
      await database.query({ text: `drop table ${name}` });
      expect(await daysAhead(database)).toBeLessThan(32);
    }
    expect(await daysAhead(database)).toBe(-1);
    expect((await applyRetention(database, FOR_EVER))?.added).toEqual([first, second]);
    expect(await names()).toEqual(before);
  });

  it('are created for calls in months without partition', async () => {
    await openAccessWriter(database)(
      batch(1, [callAt('2019-05-31T23:59:59.999Z'), callAt('2019-06-01T00:00:00.000Z')]),
    );
    expect(await names()).toEqual(expect.arrayContaining(['access_calls_2019_05', 'access_calls_2019_06']));
    expect([await count('access_calls_2019_05'), await count('access_calls_2019_06')]).toEqual([1, 1]);
  });

  it('are dropped after the retention of their table; sums by day stay', async () => {
    const save = openAccessWriter(database);
    const refused = { clientId: null, namedClientId: 'usr_2', scopes: 0, status: 403, errorCode: 'no_active_grant' };
    const times = [0, 100, 300].map(daysAgo);
    await save(
      batch(
        1,
        times.flatMap((at) => [callAt(at), callAt(at, refused)]),
      ),
    );
    expect([await count('access_calls'), await count('firm_refusals')]).toEqual([3, 3]);
    const kept = await applyRetention(database, { accessRecordDays: 200, refusedCallsDays: 40 });
    expect(kept?.dropped).toHaveLength(1 + 2);
    expect([await count('access_calls'), await count('firm_refusals')]).toEqual([2, 1]);
    const days = await database.query<{ day: string; calls: number }>({
      text: 'select day, sum(calls)::int as calls from access_days group by 1 order by 1 desc',
    });
    expect(days).toEqual(times.map((at) => ({ day: dayOf(at), calls: 2 })));
    expect(await applyRetention(database, FOR_EVER)).toEqual(NOTHING);
  });

  it('left half detached are dropped, too', async () => {
    await leaveHalfDetached();
    expect((await applyRetention(database, { accessRecordDays: 31 }))?.dropped).toEqual([LATE.name]);
  });

  it.each([
    ['half detached', leaveHalfDetached],
    [
      'detached',
      async () => {
        await addMonths(database, ['2019-05-01']);
        await database.query({ text: `alter table access_calls detach partition ${LATE.name}` });
      },
    ],
  ])('left %s are attached again if retention has become longer', async (_, leave) => {
    await openAccessWriter(database)(batch(1, [callAt(LATE.at)]));
    await leave();
    expect(await count('access_calls')).toBe(0);
    expect(await applyRetention(database, FOR_EVER)).toEqual({ ...NOTHING, added: [LATE.name] });
    expect([await stateOfLate(), await count('access_calls')]).toEqual(['attached', 1]);
  });

  it("stay if they are over by the database's clock only", async () => {
    await addMonths(database, [`${daysAgo(300).slice(0, 7)}-01`]);
    const retention = { accessRecordDays: 200, refusedCallsDays: 200 };
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 300 * DAY_MS });
    try {
      expect((await applyRetention(database, retention))?.dropped).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
    expect((await applyRetention(database, retention))?.dropped).toHaveLength(2);
  });

  it('left half detached take late calls', async () => {
    await leaveHalfDetached();
    await openAccessWriter(database)(batch(1, [callAt(LATE.at), callAt(daysAgo(0))]));
    expect([await stateOfLate(), await count(LATE.name), await count('access_calls')]).toEqual(['attached', 1, 2]);
    expect((await applyRetention(database, { accessRecordDays: 31 }))?.dropped).toEqual([LATE.name]);
  });

  it('left half detached do not end a reader with an earlier snapshot', async () => {
    await addMonths(database, ['2019-05-01']);
    const reader = await otherSession('begin isolation level repeatable read; select from access_keys');
    await leaveHalfDetached();
    const save = openAccessWriter(database);
    // Retries like the recorder.
    const saved = (): Promise<void> =>
      save(batch(1, [callAt(LATE.at)])).catch((error: { code?: string }) => {
        if (error.code !== '55P03') throw error;
        return saved();
      });
    const saving = saved();
    const waits = () =>
      database
        .query({
          text: `select from pg_locks join pg_stat_activity using (pid)
            where datname = current_database() and locktype = 'virtualxid' and not granted`,
        })
        .then(({ length }) => length);
    await expect.poll(waits, { interval: 5 }).toBe(1);
    expect((await reader.query('select count(*)::int as count from access_calls')).rows).toEqual([{ count: 0 }]);
    await reader.end();
    await saving;
    expect(await count(LATE.name)).toBe(1);
  });

  it("take calls while they are read, and are dropped afterwards, whatever the session's timeouts", async () => {
    await addMonths(database, ['2019-05-01']);
    const reader = await otherSession(READS);
    const impatient = await openDatabase({ url: created.url, patienceMs: 2_000 });
    const keeping = applyRetention(impatient, { accessRecordDays: 31 });
    await Promise.race([keeping, sleep(2_500)]);
    await openAccessWriter(database)(batch(1, [callAt(LATE.at)]));
    expect(await count(LATE.name)).toBe(1);
    await reader.end();
    expect((await keeping)?.dropped).toEqual([LATE.name]);
    await impatient.close();
  });

  it('stay attached if the process stops while they are read', async () => {
    await addMonths(database, ['2019-05-01']);
    const reader = await otherSession(READS);
    const stopping = new AbortController();
    const keeping = applyRetention(database, { accessRecordDays: 31 }, stopping.signal);
    await Promise.race([keeping, sleep(200)]);
    stopping.abort();
    await expect(keeping).rejects.toThrow('aborted');
    expect(await stateOfLate()).toBe('attached');
    await reader.end();
  });

  it('are maintained by one process at a time', async () => {
    const other = new Client({ connectionString: created.url });
    await other.connect();
    await other.query('select pg_advisory_lock(hashtextextended($$portico access record$$, 0))');
    expect(await applyRetention(database, FOR_EVER)).toBeNull();
    await other.end();
    await expect.poll(() => applyRetention(database, FOR_EVER)).not.toBeNull();
  });

  it('are created and dropped without blocking writers', async () => {
    const save = openAccessWriter(database);
    await save(batch(1, [callAt(daysAgo(100)), callAt(daysAgo(0))]));
    // A transaction that has read the record and stays open: the detach waits for it, and nothing waits for the detach.
    const reader = await otherSession(READS);
    const keeping = applyRetention(database, { accessRecordDays: 31, refusedCallsDays: 31 });
    const adding = addMonths(database, ['2018-01-01']);
    // A writer that waited for the detach would wait for the reader, which stays until all are done.
    for (let number = 2; number < 40; number++) {
      await save(batch(number, [callAt(daysAgo(0))]));
      await sleep(5);
    }
    await reader.query('commit');
    await reader.end();
    await adding;
    expect((await keeping)?.dropped.length).toBeGreaterThan(0);
  });
});

describe('numbered rows', () => {
  it('are numbered again after a restore to before they were numbered', async () => {
    const save = openAccessWriter(database);
    await save(batch(1, [callAt(daysAgo(0))]));
    await save(batch(2, [callAt(daysAgo(0), { endpoint: 'GET /b', userAgent: 'later' })]));
    // The state after a restore: the second batch is gone, and its numbers are free.
    await database.query({ text: `delete from access_calls where shape = (select max(number) from access_shapes)` });
    for (const table of ['access_shapes', 'access_origins'])
      await database.query({ text: `delete from ${table} where number = (select max(number) from ${table})` });
    await database.query({ text: 'update access_writers set batch = 1' });
    await save(batch(3, [callAt(daysAgo(0), { endpoint: 'GET /b', userAgent: 'later', requestId: newId('request') })]));
    const rows = await database.query({ text: 'select endpoint, user_agent from recorded_calls order by at' });
    expect(rows).toEqual([
      { endpoint: 'GET /a', user_agent: 'x' },
      { endpoint: 'GET /b', user_agent: 'later' },
    ]);
  });

  it('are deleted once no month refers to them, and numbered again when they return', async () => {
    await openAccessWriter(database)(batch(1, [callAt(daysAgo(0))]));
    for (const table of ['access_keys', 'access_pairs', 'access_shapes', 'access_origins'])
      await database.query({ text: `update ${table} set seen = seen - 400` });
    await applyRetention(database, FOR_EVER);
    expect(await count('access_shapes')).toBe(0);
    await openAccessWriter(database)(batch(2, [callAt(daysAgo(0))]));
    expect(await count('recorded_calls')).toBe(1);
  });

  it.each([
    ['from the start', []],
    ['by a step, while the numbers were known', [daysAgo(0)]],
  ])('stay while a month refers to them that a gateway with a clock ahead wrote to: %s', async (_, before) => {
    const save = openAccessWriter(database);
    const tables = ['access_keys', 'access_pairs', 'access_shapes', 'access_origins'];
    for (const [at, each] of [...before, daysAgo(-40)].entries()) await save(batch(at + 1, [callAt(each)]));
    // The state 45 days later, when the earlier months are over.
    await addMonths(database, [`${daysAgo(5).slice(0, 7)}-01`]);
    await database.query({ text: `delete from access_calls where at < now() + interval '1 day'` });
    await database.query({ text: `update access_calls set at = at - interval '45 days'` });
    for (const table of tables) await database.query({ text: `update ${table} set seen = seen - 45` });
    await applyRetention(database, FOR_EVER);
    expect(await count('recorded_calls')).toBe(1);
  });

  it('use up a number only if they are new', async () => {
    const numbers = async () => {
      const given: Record<string, number> = {};
      for (const table of ['access_keys', 'access_pairs', 'access_shapes', 'access_origins']) {
        const text = `select pg_sequence_last_value(pg_get_serial_sequence('${table}', 'number')) as last`;
        given[table] = (await database.query<{ last: number }>({ text }))[0]?.last ?? 0;
      }
      return given;
    };
    await openAccessWriter(database)(batch(1, [callAt(daysAgo(0)), callAt(daysAgo(0), { userAgent: 'y' })]));
    const first = await numbers();
    expect(first).toEqual({ access_keys: 1, access_pairs: 1, access_shapes: 1, access_origins: 2 });
    for (const table of Object.keys(first)) await database.query({ text: `update ${table} set seen = seen - 1` });
    const again = [callAt(daysAgo(0), { userAgent: 'y' }), callAt(daysAgo(0)), callAt(daysAgo(0), { userAgent: 'z' })];
    await openAccessWriter(database)(batch(2, again));
    expect(await numbers()).toEqual({ ...first, access_origins: 3 });
    const marked = `select from access_origins where seen = (now() at time zone 'UTC')::date`;
    expect(await database.query({ text: marked })).toHaveLength(3);
    const rows = await database.query({
      text: 'select user_agent, count(*) from recorded_calls group by 1 order by 1',
    });
    expect(rows).toEqual([
      { user_agent: 'x', count: 2 },
      { user_agent: 'y', count: 2 },
      { user_agent: 'z', count: 1 },
    ]);
  });

  it('get free numbers once all have been given', async () => {
    const of = (...names: string[]) =>
      names.map((name) => callAt(daysAgo(0), { endpoint: `GET /${name}`, userAgent: name }));
    const save = openAccessWriter(database);
    await save(batch(1, of('a', 'b', 'c')));
    const tables = ['access_shapes', 'access_origins'];
    // The state after the month of a call was dropped.
    await database.query({
      text: `with gone as (delete from access_origins where user_agent = 'b' returning number)
        delete from access_calls where origin = (select number from gone)`,
    });
    await database.query({ text: `delete from access_shapes where endpoint = 'GET /b'` });
    for (const table of tables)
      await database.query({ text: `select setval(pg_get_serial_sequence('${table}', 'number'), 2147483646)` });
    await save(batch(2, of('d', 'e', 'f')));
    for (const table of tables) {
      const rows = await database.query<{ number: number }>({ text: `select number from ${table} order by number` });
      expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 2_147_483_647]);
    }
    const rows = await database.query({ text: 'select endpoint, user_agent from recorded_calls order by endpoint' });
    expect(rows).toEqual(['a', 'c', 'd', 'e', 'f'].map((name) => ({ endpoint: `GET /${name}`, user_agent: name })));
  });
});

it('rows of the former table are deleted once no gateway writes to it, which counts as no change of a portfolio', async () => {
  const tracking = async () => await database.query({ text: 'select change_tracking()' });
  const save = (at: string) =>
    database.query({
      text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
        values ($1, $2, 'frm_1', 'key_1', 'usr_1', 'GET /a', 3, 200)`,
      values: [newId('request'), at],
    });
  await addMonths(database, ['2019-05-01']);
  const before = await tracking();
  await save(daysAgo(40));
  await save(daysAgo(1));
  const result = await applyRetention(database, { accessRecordDays: 400, refusedCallsDays: 90 });
  expect(result?.dropped).toContain('access_calls_2019_05');
  expect(await count('access_records')).toBe(2);
  await database.query({ text: 'update access_records set at = $1', values: [daysAgo(3)] });
  await applyRetention(database, { accessRecordDays: 400, refusedCallsDays: 90 });
  expect(await count('access_records')).toBe(0);
  expect(await tracking()).toEqual(before);
});

describe('a batch', () => {
  it('is saved once, however often it is repeated, also concurrently', async () => {
    const save = openAccessWriter(database);
    const events = [callAt(daysAgo(0)), callAt(daysAgo(0), { status: 403, scopes: 0, clientId: null })];
    await Promise.all([1, 2, 3].map(() => save(batch(1, events))));
    await save(batch(1, events));
    expect([await count('access_calls'), await count('firm_refusals')]).toEqual([1, 1]);
    expect(await database.query({ text: 'select sum(calls)::int as calls from access_days' })).toEqual([{ calls: 2 }]);
    await save(batch(2, [callAt(daysAgo(0))]));
    await save(batch(1, [callAt(daysAgo(0))], '00000000-0000-0000-0000-000000000002'));
    expect(await count('access_calls')).toBe(3);
  });

  it('takes a call whose duration exceeds its column, as from a process that was frozen', async () => {
    await openAccessWriter(database)(batch(1, [callAt(daysAgo(0), { tookMs: 3 * 3_600_000 })]));
    expect(await database.query({ text: 'select took_us from access_calls' })).toEqual([{ took_us: 2 ** 31 - 1 }]);
  });

  it('does not wait for a transaction that changes its key, and neither do later ones', async () => {
    const firm = await makeFirm(database);
    const { id } = await makeKey(database, firm);
    const impatient = await openDatabase({ url: created.url, patienceMs: 10_000 });
    const other = new Client({ connectionString: created.url });
    await other.connect();
    await other.query(`begin; update api_keys set name = 'Another' where id = '${id}'`);
    const save = openAccessWriter(impatient);
    const callOfKey = () => callAt(daysAgo(0), { firmId: firm.id, keyId: id });
    await save(batch(1, [callOfKey()]));
    await save(batch(2, [callOfKey()]));
    expect(await count('access_calls')).toBe(2);
    await other.query('commit');
    await other.end();
    await save(batch(3, [callAt(daysAgo(0))]));
    const used = await database.query({
      text: 'select 1 from api_keys where id = $1 and last_used_at is not null',
      values: [id],
    });
    expect(used).toHaveLength(1);
    await impatient.close();
  });

  it('takes calls beyond the maximum of a daily count', async () => {
    const save = openAccessWriter(database);
    const stranger = { day: dayOf(daysAgo(0)), errorCode: 'key_missing', calls: 7 };
    const unlisted = {
      ...callAt(daysAgo(0)),
      day: dayOf(daysAgo(0)),
      caller: { firmId: 'frm_1', keyId: 'key_1' },
      calls: 7,
    };
    const flood = (number: number) => ({
      ...batch(number, [callAt(daysAgo(0))]),
      ...{ counts: [unlisted], strangers: [stranger] },
    });
    await save(flood(1));
    await database.query({ text: 'update stranger_days set calls = 2147483640' });
    await database.query({ text: 'update access_days set calls = 2147483640, unlisted = 2147483640' });
    await save(flood(2));
    expect(await count('access_calls')).toBe(2);
    expect(await database.query({ text: 'select calls from stranger_days' })).toEqual([{ calls: 2_147_483_647 }]);
    expect(await database.query({ text: 'select calls, unlisted from access_days' })).toEqual([
      { calls: 2_147_483_647, unlisted: 2_147_483_647 },
    ]);
  });

  it('takes texts that the database cannot store', async () => {
    const text = `a\0b\ud800${'c'.repeat(500)}`;
    const refused = {
      clientId: null,
      scopes: 0,
      status: 400,
      errorCode: 'x',
      param: text,
      message: text,
      userAgent: text,
    };
    await openAccessWriter(database)(batch(1, [callAt(daysAgo(0), refused)]));
    const [row] = await database.query<{ length: number }>({
      text: 'select char_length(message) as length from access_shapes where message is not null',
    });
    expect(row?.length).toBeLessThanOrEqual(200);
  });
});

it('request ids convert to the same UUID as in the database, and are found by their ends', async () => {
  for (const id of [
    'req_00000000000000000000000000',
    'req_7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
    newId('request'),
    newId('request'),
  ]) {
    const [row] = await database.query<{ uuid: string; id: string }>({
      text: 'select request_uuid($1)::text as uuid, request_id(request_uuid($1)) as id',
      values: [id],
    });
    expect(row).toEqual({ uuid: expect.any(String), id });
    expect(row?.uuid.replaceAll('-', '')).toBe(requestUuid(id));
    expect(requestIdOf(row?.uuid ?? '')).toBe(id);
    for (let length = 4; length <= 26; length++) expect(row?.uuid.endsWith(uuidEnd(id.slice(-length)))).toBe(true);
  }
});
