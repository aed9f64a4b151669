// Guarantee: an override of a limit with an end can be lifted before, without losing the one that was set without an end.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { makeFirm, makeKey } from '#test/repositories/parties.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { runHere } from './portico.ts';

let created: TestDatabase;
beforeAll(async () => {
  created = await createMigratedDatabase();
});
afterAll(() => created?.drop());

async function run(...words: string[]) {
  const { code, stdout, stderr } = await runHere({ DATABASE_URL: created.url }, '--json', ...words);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function make() {
  const database = await openDatabase({ url: created.url });
  try {
    const firm = await makeFirm(database);
    return { firm: firm.id, key: (await makeKey(database, firm, { environment: 'production' })).id };
  } finally {
    await database.close();
  }
}

it('a tier', async () => {
  const { key } = await make();
  const tier = async (...words: string[]) => (await run('key', 'tier', key, ...words)).tier;
  expect(await tier('elevated', '--reason', 'agreed')).toBe('elevated');
  expect(await tier('sandbox', '--reason', 'overload', '--expires', '1h')).toBe('sandbox');
  expect(await tier('lasting', '--reason', 'over')).toBe('elevated');
  expect(await tier('lasting', '--reason', 'over')).toBe('elevated');
  expect(await tier('default', '--reason', 'ended')).toBe('standard');
});

it('a firm’s limit', async () => {
  const { firm } = await make();
  const limit = async (...words: string[]) => (await run('firm', 'limit', '--firm', firm, ...words)).request_limit;
  expect(await limit('--per-minute', '2000', '--reason', 'agreed')).toBe(2000);
  expect(await limit('--per-minute', '10', '--reason', 'overload', '--expires', '1h')).toBe(10);
  expect(await limit('--lasting', '--reason', 'over')).toBe(2000);
  expect(await limit('--none', '--reason', 'ended')).toBeNull();
});
