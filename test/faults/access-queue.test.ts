// Guarantee: every batch in the access queue is saved exactly once, whichever process drains it and whatever fails.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packNumbers } from '#core/disclosure.ts';
import type { AccessBatch, AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { type AccessQueue, openAccessQueue } from '#gateway/access-queue/access-queue.ts';
import { startDrainer } from '#gateway/access-queue/drainer.ts';
import { type AccessStream, openStream } from '#gateway/access-queue/stream.ts';
import { eraseClient, finishErasures } from '#gateway/personal-data/erase.ts';
import { openQueueWriter } from '#repositories/access-record/writer.ts';
import { findBinary } from '#test/support/binaries.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { runRedis, runSentinels } from '#test/support/redis-server.ts';
import { makeClient, makeFirm, makeKey } from '#test/support/scenario.ts';
import { type Service, startRedisCluster } from '#test/support/services.ts';

const binary = findBinary('redis-server') ?? 'redis-server';
/** What Redis has acknowledged survives its death, even if its disk is slow to sync. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

let created: TestDatabase;
let database: Database;
let redis: Service;
let client: Redis;
/** New for each test: the name of the queue, and the writer of its batches. */
let fleet: string;
let writer: string;
let failures: Error[];
let opened: AsyncDisposableStack;

beforeAll(async () => {
  created = await createMigratedDatabase();
  database = await openDatabase({ url: created.url });
  redis = await runRedis(binary, DURABLE);
  client = new Redis(redis.url).on('error', () => {});
});
afterAll(async () => {
  client?.disconnect();
  await redis?.stop();
  await database?.close();
  await created?.drop();
});
beforeEach(() => {
  [fleet, writer, failures, opened] = [randomUUID(), randomUUID(), [], new AsyncDisposableStack()];
});
afterEach(() => opened.disposeAsync());

const onFailure = (error: unknown) => void failures.push(error as Error);

async function openQueue(url = redis.url): Promise<AccessQueue> {
  const queue = await openAccessQueue(database, { url, ca: undefined, fleet, onFailure });
  opened.defer(() => queue.close());
  return queue;
}

function openOwnStream(): AccessStream {
  const stream = openStream(redis.url, undefined, fleet);
  opened.defer(() => stream.close());
  return stream;
}

const callOf = (number: number, changes: Partial<AccessEvent> = {}): AccessEvent => ({
  ...{ requestId: newId('request'), at: new Date().toISOString(), firmId: 'frm_1', keyId: 'key_1', clientId: writer },
  ...{ endpoint: `GET /${number}`, registryId: null, scopes: 3, status: 200, errorCode: null },
  ...changes,
});

/** A batch of one call, whose endpoint is the batch's number. */
const batch = (number: number, changes: Partial<AccessEvent> = {}): AccessBatch => ({
  ...{ writer, number, calls: [{ event: callOf(number, changes), listed: true }] },
  ...{ attempts: [], counts: [], strangers: [] },
});

const upTo = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at + 1}`);

async function recorded(): Promise<string[]> {
  const rows = await database.query<{ endpoint: string }>({
    text: 'select endpoint from recorded_calls where client_id = $1',
    values: [writer],
  });
  return rows.map(({ endpoint }) => endpoint.slice('GET /'.length)).sort((one, other) => Number(one) - Number(other));
}

/** On a busy machine Redis may answer too late. A batch whose append failed so is saved directly. */
const isLate = ({ message }: Error) => message.startsWith('Redis did not answer within');

/** Repeats a save or append until it succeeds, as gateways do. The queue may then have the batch several times. */
const untilSaved = (save: () => Promise<void>) =>
  expect
    .poll(() =>
      save().then(
        () => null,
        (error: Error) => error.message,
      ),
    )
    .toBeNull();

const stream = () => `portico:access:{${fleet}}`;
const queued = () => client.xlen(stream());

async function withoutRecord(work: () => Promise<unknown>): Promise<void> {
  await database.query({ text: 'alter table access_calls rename to access_calls_away' });
  try {
    await work();
  } finally {
    await database.query({ text: 'alter table access_calls_away rename to access_calls' });
  }
}

it('a batch is saved unchanged, and then removed from Redis', async () => {
  const queue = await openQueue();
  const key = await makeKey(database, await makeFirm(database));
  const [hash] = await database.query<{ hash: Buffer }>({
    text: 'select secret_hash as hash from api_keys where id = $1',
    values: [key.id],
  });
  const disclosure = { items: packNumbers([5, 900]), removed: packNumbers([7]), scopes: 3, includes: 1 };
  const program = `A program ${fleet}`;
  const call = callOf(1, { disclosure, userAgent: program, address: '192.0.2.9', tookMs: 1.5, version: '2025-01-01' });
  const attempt = { ...call, endpoint: 'none', status: 401, errorCode: 'revoked_api_key', path: '/x' };
  await queue.save({
    ...{ writer, number: 1, calls: [{ event: call, listed: true }], strangers: [] },
    attempts: [{ ...attempt, keyHash: hash?.hash ?? Buffer.alloc(0) }],
    counts: [
      {
        ...{ day: '2026-01-15', endpoint: 'E', status: 403, errorCode: 'x', calls: 7 },
        caller: { keyHash: hash?.hash ?? Buffer.alloc(0) },
      },
    ],
  });
  await expect.poll(recorded).toEqual(['1']);
  const [row] = await database.query({
    text: 'select items, removed, user_agent, address, version from recorded_calls where client_id = $1',
    values: [writer],
  });
  expect(row).toMatchObject({
    items: disclosure.items,
    removed: disclosure.removed,
    user_agent: program,
    address: '192.0.2.9',
  });
  const refused = await database.query({
    text: 'select 1 from firm_refusals r join access_keys k on k.number = r.key where k.key_id = $1',
    values: [key.id],
  });
  expect(refused).toHaveLength(1);
  const [day] = await database.query({
    text: `select calls from access_days where key_id = $1 and endpoint = 'E'`,
    values: [key.id],
  });
  expect(day).toEqual({ calls: 7 });
  await expect.poll(queued).toBe(0);
  expect(await client.xinfo('STREAM', stream())).not.toContain(program);
});

it('three processes save 200 batches exactly once, although some are appended twice', async () => {
  const queues = await Promise.all([openQueue(), openQueue(), openQueue()]);
  for (let number = 1; number <= 200; number++) {
    const one = batch(number);
    await queues[number % 3]?.save(one);
    if (number % 5 === 0) await queues[(number + 1) % 3]?.save(one);
  }
  await expect.poll(recorded).toEqual(upTo(200));
  await expect.poll(queued).toBe(0);
  expect(failures.filter((error) => !isLate(error))).toEqual([]);
});

describe('the lease', () => {
  it('belongs to one process at a time, and passes to another once the first is silent', async () => {
    const silent = openOwnStream();
    await silent.ready;
    await untilSaved(() => silent.append(batch(1)));
    const { read } = await silent.take('gone');
    expect(new Set(read?.map(({ batch: { number } }) => number))).toEqual(new Set([1]));
    // It expires, but not before the checks, which may take long on a busy machine.
    const lease = `${stream()}:lease`;
    expect(await client.persist(lease)).toBe(1);
    expect((await silent.take('another')).read).toBeNull();
    // The silent process has read the batch and does not save it.
    await openQueue();
    await sleep(1_000);
    expect(await recorded()).toEqual([]);
    await client.pexpire(lease, 1);
    await expect.poll(recorded).toEqual(['1']);
  });

  it('is released at once by a process that stops, which saves its batches first', async () => {
    let count = 0;
    let tookMs: number;
    do {
      const first = await openQueue();
      await first.save(batch(++count));
      await expect.poll(recorded).toEqual(upTo(count));
      await first.save(batch(++count));
      const began = performance.now();
      await first.close();
      tookMs = performance.now() - began;
      // A stop gives up after three seconds, which can happen on a busy machine.
    } while (tookMs >= 2_900 && count < 10);
    expect(await recorded()).toEqual(upTo(count));
    const second = openOwnStream();
    await second.ready;
    expect((await second.take('second')).read).toEqual([]);
  });

  it('may expire while a batch is being saved: both processes save it, and each batch is recorded once', async () => {
    const slow = openOwnStream();
    await slow.ready;
    for (let number = 1; number <= 3; number++) await untilSaved(() => slow.append(batch(number)));
    const { read } = await slow.take('slow');
    const late = (read ?? []).map(({ batch: one }) => one);
    await slow.release('slow');
    const queue = await openQueue();
    await queue.save(batch(4));
    await expect.poll(recorded).toEqual(upTo(4));
    // The slow process continues after the other has saved the same batches.
    await openQueueWriter(database)(late);
    await slow.remove((read ?? []).map(({ id }) => id));
    expect(await recorded()).toEqual(upTo(4));
  });
});

it('a process that dies between saving a batch and removing it causes no duplicate', async () => {
  const own = openOwnStream();
  await own.ready;
  const dying: AccessStream = {
    ...own,
    close: () => {},
    release: async () => {},
    remove: () => Promise.reject(new Error('dies')),
  };
  await untilSaved(() => own.append(batch(1)));
  const count = await queued();
  const drainer = startDrainer(dying, openQueueWriter(database), onFailure);
  await expect.poll(recorded).toEqual(['1']);
  await expect.poll(() => failures.length).toBeGreaterThan(0);
  await drainer.close();
  expect(await queued()).toBe(count);
  const queue = await openQueue();
  await queue.save(batch(2));
  await expect.poll(recorded).toEqual(['1', '2']);
  await expect.poll(queued).toBe(0);
});

it('batches in the queue survive Redis and the process while PostgreSQL accepts none, and are saved later', async () => {
  const queue = await openQueue();
  await withoutRecord(async () => {
    for (let number = 1; number <= 30; number++) await untilSaved(() => queue.save(batch(number)));
    const count = await queued();
    expect(count).toBeGreaterThanOrEqual(30);
    expect(count).toBeLessThanOrEqual(30 + failures.filter(isLate).length);
    await expect.poll(() => queue.state()).toMatchObject({ batches: count });
    // Longer than the interval of the check.
    await expect.poll(() => queue.state().oldestSeconds).toBeGreaterThan(3);
    expect(queue.counts().failures).toBeGreaterThan(0);
    await queue.close();
    await redis.kill();
    await redis.restart();
    expect(await queued()).toBe(count);
  });
  const next = await openQueue();
  await next.save(batch(31));
  await expect.poll(recorded).toEqual(upTo(31));
  await expect.poll(() => next.state()).toEqual({ batches: 0, oldestSeconds: 0 });
});

it.each([
  ['dies', () => redis.kill(), () => redis.restart()],
  ['freezes', () => redis.freeze(), () => redis.thaw()],
])('if Redis %s, new batches are saved directly and queued ones afterwards, each once', async (_name, stop, back) => {
  const own = openOwnStream();
  await own.ready;
  // The holder of the lease saves nothing, so that these stay in the queue.
  await client.set(`${stream()}:lease`, 'another');
  for (let number = 1; number <= 5; number++) await untilSaved(() => own.append(batch(number)));
  const next = await openQueue();
  await stop();
  for (let number = 6; number <= 10; number++) await next.save(batch(number));
  expect((await recorded()).slice(-5)).toEqual(['6', '7', '8', '9', '10']);
  await back();
  await client.del(`${stream()}:lease`);
  await expect.poll(recorded).toEqual(upTo(10));
  await expect
    .poll(async () => {
      await next.save(batch(11));
      return queued();
    })
    .toBe(1);
  await expect.poll(recorded).toEqual(upTo(11));
});

it('a batch that Redis appended without acknowledging it is saved once', async () => {
  const queue = await openQueue();
  const [one, two, three] = [batch(1), batch(2), batch(3)];
  await withoutRecord(async () => {
    await untilSaved(() => queue.save(one));
    const direct = openOwnStream();
    await direct.ready;
    // Appended, but `queue` gets no acknowledgement.
    await untilSaved(() => direct.append(two));
    await redis.freeze();
    await expect(queue.save(two)).rejects.toThrow();
  });
  await queue.save(two);
  expect(await recorded()).toEqual(['2']);
  await redis.thaw();
  await queue.save(three);
  await expect.poll(recorded).toEqual(['1', '2', '3']);
  await expect.poll(queued).toBe(0);
  expect(await recorded()).toEqual(['1', '2', '3']);
});

it('if Redis is full, new batches are saved directly, and queued ones are saved too', async () => {
  const own = openOwnStream();
  await own.ready;
  await client.set(`${stream()}:lease`, 'another');
  for (let number = 1; number <= 3; number++) await untilSaved(() => own.append(batch(number)));
  await client.del(`${stream()}:lease`);
  await client.config('SET', 'maxmemory', '1');
  opened.defer(async () => void (await client.config('SET', 'maxmemory', '0')));
  const queue = await openQueue();
  await queue.save(batch(4));
  await expect.poll(recorded).toEqual(upTo(4));
  await expect.poll(queued).toBe(0);
  await expect
    .poll(async () => {
      await queue.save(batch(4));
      return failures.map(({ message }) => message);
    })
    .toContainEqual(expect.stringMatching(/^OOM /));
});

it('a loss of the queue in Redis is counted and logged', async () => {
  const queue = await openQueue();
  await withoutRecord(async () => {
    for (let number = 1; number <= 4; number++) await untilSaved(() => queue.save(batch(number)));
    const count = await queued();
    await expect.poll(() => queue.state().batches).toBe(count);
    await client.flushall();
    await expect.poll(() => queue.counts().losses).toBe(1);
    expect(failures.map(({ message }) => message)).toContainEqual(
      `Redis has lost the access queue, in which ${count} batches waited when it was last seen`,
    );
  });
  await queue.save(batch(5));
  await expect.poll(recorded).toEqual(['5']);
  expect(queue.counts().losses).toBe(1);
});

it('a batch in an unknown form stays in the queue, with all later ones, for a release that knows it', async () => {
  const own = openOwnStream();
  await own.ready;
  await untilSaved(() => own.append(batch(1)));
  const readable = await queued();
  await client.xadd(stream(), '*', 'form', '999', 'calls', '1', 'batch', 'of a later release');
  await untilSaved(() => own.append(batch(2)));
  const left = (await queued()) - readable;
  expect(left).toBeGreaterThanOrEqual(2);
  const queue = await openQueue();
  await expect.poll(() => queue.counts().failures).toBeGreaterThan(1);
  expect([await recorded(), await queued()]).toEqual([['1'], left]);
  expect(failures[0]?.message).toMatch(/^the batch \d+-\d+ of the access queue cannot be read$/);
  // The lease is released, so that gateways of that release can take it.
  await expect.poll(() => client.exists(`${stream()}:lease`)).toBe(0);
});

it('a queued call of a client who is erased meanwhile is deleted by the next upkeep', async () => {
  const { id } = await makeClient(database);
  const own = openOwnStream();
  await own.ready;
  await client.set(`${stream()}:lease`, 'another');
  const program = `A program ${fleet}`;
  await untilSaved(() => own.append(batch(1, { clientId: id, userAgent: program })));
  await eraseClient(
    database,
    { id, reason: 'Asked for it', actor: { kind: 'operator', id: 'test' } },
    { portalUrl: null, noticeDays: 0 },
  );
  const callsOnIt = () => database.query({ text: 'select 1 from recorded_calls where client_id = $1', values: [id] });
  await client.del(`${stream()}:lease`);
  await openQueue();
  await expect.poll(callsOnIt).toHaveLength(1);
  expect(await database.transaction((sql) => finishErasures(sql, null))).toBe(1);
  expect(await callsOnIt()).toEqual([]);
  await expect.poll(queued).toBe(0);
});

describe.each([
  ['a Cluster', async () => startRedisCluster()],
  [
    'Sentinels',
    async () => {
      const master = await runRedis(binary);
      const replica = await runRedis(binary, ['--replicaof', '127.0.0.1', `${master.port}`]);
      const sentinels = await runSentinels(binary, master);
      const stop = async () => void (await Promise.all([sentinels, replica, master].map((one) => one.stop())));
      return { url: `${sentinels.url}/2`, stop };
    },
  ],
])('the queue with %s', (_name, start) => {
  it('saves every batch without a failure', async () => {
    const servers = await start();
    opened.defer(() => servers.stop());
    const queue = await openQueue(servers.url);
    for (let number = 1; number <= 20; number++) await queue.save(batch(number));
    await expect.poll(recorded).toEqual(upTo(20));
    expect(failures.filter((error) => !isLate(error))).toEqual([]);
    expect(queue.counts()).toEqual({ failures: failures.length, losses: 0 });
  });
});
