// `portico limits`: the live view in a terminal, which it restores at the end, and the output without a terminal.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { frame } from '#cli/live-view.ts';
import { openDatabase } from '#database/database.ts';
import { setFirmLimit } from '#repositories/firms.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { startGateway } from '#test/support/gateway.ts';
import { call, type Key, makeFirm, makeKey, why } from '#test/support/scenario.ts';
import { runHere } from './portico.ts';
import { terminal } from './terminal.ts';

const ENTERED = '\x1b[?1049h\x1b[?25l';
const LEFT = '\x1b[?25h\x1b[?1049l';

let target: TestDatabase;
let key: Key;
let env: Record<string, string>;
beforeAll(async () => {
  target = await createMigratedDatabase();
  env = { DATABASE_URL: target.url, REDIS_URL: inject('services').redisUrl };
  const database = await openDatabase({ url: target.url });
  key = await makeKey(database, await makeFirm(database));
  await database.close();
});
afterAll(() => target?.drop());

describe('in a terminal', () => {
  it.each([
    ['q', 'q'],
    ['Ctrl-C', '\x03'],
  ])('%s ends the view and restores the terminal', async (_name, keys) => {
    const screen = terminal(env, 'limits');
    const frames = () => screen.shown().split('\x1b[H').length - 1;
    await expect.poll(frames).toBeGreaterThan(1);
    screen.press(keys);
    await screen.ended;
    const shown = screen.shown();
    const view = shown.slice(0, shown.indexOf(LEFT));
    expect(view.startsWith(ENTERED)).toBe(true);
    expect(view).toContain(key.id);
    expect(view).toContain('1 key(s), 0 near the limit');
    const after = shown.slice(shown.indexOf(LEFT) + LEFT.length);
    expect(after).toMatch(/^exit code 0\r?\n/);
    expect(after).toMatch(/ icanon/);
    expect(after).toMatch(/ echo /);
    expect(after).not.toMatch(/-icanon|-echo /);
  });
});

it('without a terminal, or with --json, limits are printed once', async () => {
  const plain = await runHere(env, 'limits');
  expect([plain.code, plain.stderr]).toEqual([0, '']);
  expect(plain.stdout).toMatch(new RegExp(`^key .*\\n${key.id} .*\\n$`));
  const json = await runHere(env, 'limits', '--json');
  expect(JSON.parse(json.stdout)).toEqual([expect.objectContaining({ key_id: key.id, used: 0 })]);
});

it('a key in shadow mode is shown with what put it there and how many requests were let pass', async () => {
  expect((await runHere(env, 'limits', 'shadow', '--tier', 'enterprise', '--reason', 'a trial')).code).toBe(0);
  const plain = await runHere(env, 'limits');
  expect(plain.stdout).toMatch(new RegExp(`^${key.id} .* by tier, 0 let pass`, 'm'));
  const json = await runHere(env, 'limits', 'peek', key.id, '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ shadow: 'tier', would_refuse: 0, refused: 0, firm: null });
});

it('a frame is cut to the size of the terminal and clears the previous one', () => {
  expect(frame('abcdef\nghi\njkl', 3, 4)).toBe('\x1b[Habcd\x1b[K\r\nghi\x1b[K\r\n\x1b[J');
});

it.each(['::1', '::', '0.0.0.0'])(
  'without Redis, limits are read from the gateway that listens on %s',
  async (HOST) => {
    const gateway = await startGateway({ databaseUrl: target.url, env: { HOST } });
    const INTERNAL_PORT = new URL(gateway.internalUrl).port;
    const asked = await runHere({ DATABASE_URL: target.url, HOST, INTERNAL_PORT }, 'limits', '--json');
    const tokens = await gateway.database.query({ text: 'select id from service_tokens' });
    await gateway.stop();
    expect({ code: asked.code, stderr: asked.stderr }).toEqual({ code: 0, stderr: '' });
    // The token of the command gives no access afterwards, and is not left behind.
    expect(tokens).toEqual([]);
    expect(JSON.parse(asked.stdout)).toEqual([expect.objectContaining({ key_id: key.id, used: 0 })]);
  },
);

it('limits shows what gateways on the same Redis have counted for a key and its firm', async () => {
  const database = await openDatabase({ url: target.url });
  const firm = await makeFirm(database, { tier: 'standard' });
  await setFirmLimit(database, firm.id, { limit: 500, ...why }, { kind: 'operator', id: 'test' });
  const { id, secret } = await makeKey(database, firm);
  await database.close();
  const gateway = await startGateway({ databaseUrl: target.url, env: { REDIS_URL: env.REDIS_URL ?? '' } });
  for (let i = 0; i < 3; i++) await call(`${gateway.url}/api/v1/portfolio/summary`, secret);
  await gateway.stop();
  const firmLoad = { limit: 500, used: 3, remaining: 497, refused: 0 };
  const load = {
    key_id: id,
    limit: 1_000,
    used: 3,
    remaining: 997,
    refused: 0,
    firm: expect.objectContaining(firmLoad),
  };
  const json = async (...words: string[]) => JSON.parse((await runHere(env, 'limits', ...words, '--json')).stdout);
  expect(await json('peek', id)).toMatchObject(load);
  // The most used comes first.
  expect(await json()).toMatchObject([load, { key_id: key.id, used: 0 }]);
});

it('limits prints the same members, in snake case, from Redis and from a gateway', async () => {
  const gateway = await startGateway({ databaseUrl: target.url });
  const INTERNAL_PORT = new URL(gateway.internalUrl).port;
  const members = async (of: Record<string, string>) =>
    Object.keys(JSON.parse((await runHere(of, 'limits', '--json')).stdout)[0]);
  const byRedis = await members(env);
  const byGateway = await members({ DATABASE_URL: target.url, INTERNAL_PORT });
  await gateway.stop();
  expect(byGateway.toSorted()).toEqual(byRedis.toSorted());
  expect(byRedis).toContain('tier_override_ends_at');
  expect(byRedis.filter((name) => !/^[a-z_]+$/.test(name))).toEqual([]);
});

it('a server that is not a gateway is reported in one line', async () => {
  const stranger = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const { port } = stranger.address() as AddressInfo;
  const asked = await runHere({ DATABASE_URL: target.url, INTERNAL_PORT: `${port}` }, 'limits');
  stranger.close();
  expect({ code: asked.code, stdout: asked.stdout }).toEqual({ code: 1, stdout: '' });
  expect(asked.stderr).toMatch(/^portico: what answers at \S+ with 200 reports no limits.*\n$/);
});
