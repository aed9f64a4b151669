// Guarantee: an account lists, adds and deletes its own plants, by ids that are exact over the whole of int64.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { expectPlantError, makePlantCaller, type PlantCaller } from '#test/support/plants.ts';

describe.each(ENGINES)('over $name', ({ start }) => {
  let gateway: TestGateway;
  let accounts = 0;
  beforeAll(async () => {
    gateway = await start();
  });
  afterAll(() => gateway.stop());

  const newAccount = (): Promise<PlantCaller> => {
    accounts += 1;
    return makePlantCaller(gateway, `account ${accounts}`);
  };
  const namesOf = async (caller: PlantCaller, query = '') =>
    (await caller.send('GET', `/plants${query}`)).body.map(({ name }: { name: string }) => name);

  it('an account has no plants at first and lists them in the order in which they were added', async () => {
    const caller = await newAccount();
    const empty = await caller.send('GET', '/plants');
    expect([empty.status, empty.text]).toEqual([200, '[]']);
    for (const [id, name] of [
      [9, 'Monstera'],
      [-3, 'Ficus'],
      [5, 'Agave'],
    ])
      expect((await caller.post(JSON.stringify({ id, name }))).status).toBe(200);
    expect(await namesOf(caller)).toEqual(['Monstera', 'Ficus', 'Agave']);
  });

  it('a plant is returned as its name and tag, without a missing tag and always without its id', async () => {
    const caller = await newAccount();
    const tagged = await caller.post('{"id":1,"name":"Fern","tag":"indoor"}');
    const bare = await caller.post('{"id":2,"name":"Moss"}');
    const empty = await caller.post('{"id":3,"name":"Ivy","tag":""}');
    expect([tagged.text, bare.text]).toEqual(['{"name":"Fern","tag":"indoor"}', '{"name":"Moss"}']);
    expect(empty.body).toEqual({ name: 'Ivy', tag: '' });
    const list = await caller.send('GET', '/plants');
    expect(list.body).toEqual([{ name: 'Fern', tag: 'indoor' }, { name: 'Moss' }, { name: 'Ivy', tag: '' }]);
    expect(list.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('DELETE is 204 without a body, and then 404', async () => {
    const caller = await newAccount();
    await caller.post('{"id":7,"name":"Fern"}');
    const gone = await caller.send('DELETE', '/plants/7');
    expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([204, '', null]);
    expectPlantError(await caller.send('DELETE', '/plants/7'), 404);
    expect(await namesOf(caller)).toEqual([]);
    expect((await caller.post('{"id":7,"name":"Fern again"}')).status).toBe(200);
  });

  it('a second plant with the same id is 400, and the first is unchanged', async () => {
    const caller = await newAccount();
    await caller.post('{"id":1,"name":"Fern"}');
    expectPlantError(await caller.post('{"id":1,"name":"Moss"}'), 400);
    expect(await namesOf(caller)).toEqual(['Fern']);
    const race = await Promise.all(Array.from({ length: 8 }, (_, at) => caller.post(`{"id":2,"name":"P${at}"}`)));
    expect(race.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
  });

  it('accounts are separate: each has its own ids, and lists and deletes only its own plants', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    await one.post('{"id":1,"name":"Mine"}');
    expect(await namesOf(other)).toEqual([]);
    expectPlantError(await other.send('DELETE', '/plants/1'), 404);
    expect((await other.post('{"id":1,"name":"Theirs"}')).status).toBe(200);
    expect(await namesOf(one)).toEqual(['Mine']);
    expect((await other.send('DELETE', '/plants/1')).status).toBe(204);
    expect(await namesOf(one)).toEqual(['Mine']);
  });

  it('two tokens of one account share its plants', async () => {
    const one = await makePlantCaller(gateway, 'shared');
    const other = await makePlantCaller(gateway, 'shared');
    await one.post('{"id":1,"name":"Ours"}');
    expect(await namesOf(other)).toEqual(['Ours']);
  });

  describe('ids', () => {
    it.each([
      '9223372036854775807',
      '-9223372036854775808',
      '9007199254740993',
      '9007199254740992',
      '-9007199254740993',
      '0',
      '-1',
      '1234567890123456789',
    ])('%s is an exact id', async (id) => {
      const caller = await newAccount();
      expect((await caller.post(`{"id":${id},"name":"Exact"}`)).status).toBe(200);
      const near = [BigInt(id) - 1n, BigInt(id) + 1n].filter((other) => BigInt.asIntN(64, other) === other);
      for (const other of near) expectPlantError(await caller.send('DELETE', `/plants/${other}`), 404);
      expectPlantError(await caller.post(`{"id":${id},"name":"Again"}`), 400);
      expect((await caller.send('DELETE', `/plants/${id}`)).status).toBe(204);
    });

    it('9007199254740993 and 9007199254740992 are two plants', async () => {
      const caller = await newAccount();
      await caller.post('{"id":9007199254740993,"name":"Odd"}');
      expect((await caller.post('{"id":9007199254740992,"name":"Even"}')).status).toBe(200);
      await caller.send('DELETE', '/plants/9007199254740993');
      expect(await namesOf(caller)).toEqual(['Even']);
    });

    it('-0 is 0', async () => {
      const caller = await newAccount();
      await caller.post('{"id":0,"name":"Zero"}');
      expectPlantError(await caller.post('{"id":-0,"name":"Minus zero"}'), 400);
      expect((await caller.send('DELETE', '/plants/-0')).status).toBe(204);
    });

    it.each([
      '9223372036854775808',
      '-9223372036854775809',
      '1.0',
      '1e2',
      '1E2',
      '"5"',
      'true',
      'null',
      '[1]',
      '{}',
      '1e400',
    ])('%s is refused in a body', async (id) => {
      const caller = await newAccount();
      expectPlantError(await caller.post(`{"id":${id},"name":"Fern"}`), 400);
      expect(await namesOf(caller)).toEqual([]);
    });

    it.each([
      '9223372036854775808',
      '-9223372036854775809',
      '1.0',
      '1e2',
      '01',
      '%2B1',
      '--1',
      '-',
      '0x1',
      '1%20',
      '%D9%A1',
      'x',
      '1%00',
      '1n',
      '%22',
      '9'.repeat(5_000),
    ])('%s is refused in a path', async (id) => {
      const caller = await newAccount();
      expectPlantError(await caller.send('DELETE', `/plants/${id}`), 400);
    });
  });

  describe('limit', () => {
    it('is 100 by default and at most 1000', async () => {
      const caller = await newAccount();
      await gateway.database.query({
        text: "insert into plants (account_id, id, name) select $1, n, 'P' || n from generate_series(1, 1100) n",
        values: [`account ${accounts}`],
      });
      expect(await namesOf(caller)).toHaveLength(100);
      expect(await namesOf(caller, '?limit=1000')).toHaveLength(1_000);
      expect(await namesOf(caller, '?limit=3')).toEqual(['P1', 'P2', 'P3']);
    });

    it.each(['0', '1001', '-1', '1.0', '01', '', 'all', '%2B5', '1e2', '9'.repeat(30)])('%s is 400', async (limit) => {
      expectPlantError(await (await newAccount()).send('GET', `/plants?limit=${limit}`), 400);
    });

    it('repeated or with malformed encoding is 400', async () => {
      const caller = await newAccount();
      expectPlantError(await caller.send('GET', '/plants?limit=1&limit=1'), 400);
      expectPlantError(await caller.send('GET', '/plants?limit=%zz'), 400);
    });
  });
});
