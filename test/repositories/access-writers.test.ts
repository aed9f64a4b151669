// A batch of the access record is saved exactly once, whether from the queue, ahead of it, or both.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AccessBatch, type AccessEvent, createEvents } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { recordAccess } from '#observability/access-recorder.ts';
import { LISTED_PER_MINUTE } from '#observability/refusal-bounds.ts';
import { openAccessWriter, openAheadWriter, openQueueWriter } from '#repositories/access-record/writer.ts';
import { findKey } from '#repositories/keys/key-queries.ts';
import { makeClient, makeFirm, makeKey, makeMember } from '#test/repositories/parties.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';

let created: TestDatabase;
let database: Database;
let writer: string;
beforeAll(async () => {
  created = await createMigratedDatabase();
  database = await openDatabase({ url: created.url });
});
afterAll(async () => {
  await database.close();
  await created.drop();
});
beforeEach(() => {
  writer = randomUUID();
});

/** A batch of one call, whose endpoint contains the batch's number. */
const batch = (number: number, of = writer): AccessBatch => {
  const call: AccessEvent = {
    ...{ requestId: newId('request'), at: new Date().toISOString(), firmId: 'frm_1', keyId: 'key_1', clientId: of },
    ...{ endpoint: `GET /${number}`, registryId: null, scopes: 3, status: 200, errorCode: null },
  };
  return { writer: of, number, calls: [{ event: call, listed: true }], attempts: [], counts: [], strangers: [] };
};

/** The numbers of the writer's batches that are recorded, in order. */
async function recorded(of = writer): Promise<string[]> {
  const rows = await database.query<{ endpoint: string }>({
    text: 'select endpoint from recorded_calls where client_id = $1 order by endpoint',
    values: [of],
  });
  return rows.map(({ endpoint }) => endpoint.slice('GET /'.length));
}

it('batches of several writers are saved together, and repeated ones are not saved again', async () => {
  const save = openQueueWriter(database);
  const other = randomUUID();
  const batches = [batch(1), batch(1, other), batch(2), batch(2, other)];
  await save(batches);
  await save(batches.slice(1).concat(batch(3)));
  expect([await recorded(), await recorded(other)]).toEqual([
    ['1', '2', '3'],
    ['1', '2'],
  ]);
});

it('concurrent writers of the same queue save each batch once', async () => {
  const other = randomUUID();
  const batches = Array.from({ length: 20 }, (_, at) => [batch(at + 1), batch(at + 1, other)]).flat();
  const drain = async (most: number) => {
    const save = openQueueWriter(database);
    for (let at = 0; at < batches.length; at += most) await save(batches.slice(at, at + most));
  };
  await Promise.all([drain(7), drain(5), drain(3)]);
  const wanted = batches.filter((each) => each.writer === writer).map(({ number }) => `${number}`);
  for (const one of [writer, other]) expect((await recorded(one)).sort()).toEqual(wanted.sort());
});

it('a batch saved ahead of the queue does not exclude earlier ones, and is not saved again', async () => {
  const [one, two, three, four] = [batch(1), batch(2), batch(3), batch(4)];
  const [ahead, queued] = [openAheadWriter(database), openQueueWriter(database)];
  await queued([one]);
  await ahead(three);
  await ahead(three);
  expect(await recorded()).toEqual(['1', '3']);
  await queued([two]);
  await queued([three, four]);
  expect(await recorded()).toEqual(['1', '2', '3', '4']);
});

it('a batch saved from the queue is not saved again ahead of it', async () => {
  const [one, two] = [batch(1), batch(2)];
  await openQueueWriter(database)([one, two]);
  const ahead = openAheadWriter(database);
  await ahead(one);
  await ahead(two);
  expect(await recorded()).toEqual(['1', '2']);
});

it('a batch saved from the queue and ahead of it concurrently is saved once', async () => {
  for (let turn = 0; turn < 20; turn++) {
    const of = randomUUID();
    const batches = [batch(1, of), batch(2, of), batch(3, of)];
    const [, second] = batches as [AccessBatch, AccessBatch, AccessBatch];
    await Promise.all([openQueueWriter(database)(batches), openAheadWriter(database)(second)]);
    expect(await recorded(of)).toEqual(['1', '2', '3']);
  }
});

it('a batch saved ahead into a month without partition is saved once', async () => {
  const old = batch(1);
  const event = { ...(old.calls[0]?.event as AccessEvent), at: '2024-02-10T00:00:00.000Z' };
  const late = { ...old, calls: [{ event, listed: true }] };
  await openAheadWriter(database)(late);
  await openQueueWriter(database)([late]);
  expect(await recorded()).toEqual(['1']);
});

it('cached row numbers that a restored database does not have are not used', async () => {
  const save = openQueueWriter(database);
  await save([batch(1)]);
  // The state that a restore to an earlier time leaves.
  await database.query({ text: 'truncate access_calls, access_pairs, access_shapes, access_keys, access_writers' });
  await openAccessWriter(database)(batch(1, randomUUID()));
  await save([batch(2)]);
  expect(await recorded()).toEqual(['2']);
});

it('the last use of a key does not depend on whether there is a client of the refused calls', async () => {
  const firm = await makeFirm(database);
  const lastUse = async (clientId: string | null) => {
    const { id: keyId } = await makeKey(database, firm);
    const events = createEvents();
    const recorder = recordAccess(events, openAccessWriter(database), () => {});
    const refused = (at: string) =>
      events.emit('access', {
        ...{ requestId: newId('request'), at, firmId: firm.id, keyId, clientId, endpoint: 'GET /', registryId: null },
        ...{ scopes: 0, status: 403, errorCode: 'no_active_grant' },
      });
    for (let nth = 0; nth < LISTED_PER_MINUTE; nth++) refused('2026-01-15T10:00:00.000Z');
    refused('2026-01-15T10:00:30.000Z');
    expect(await recorder.close(60_000)).toEqual({ lost: 0 });
    return (await findKey(database, keyId))?.lastUsedAt;
  };
  const known = await lastUse((await makeClient(database)).id);
  expect(known).toBe('2026-01-15T10:00:00.000Z');
  expect(await lastUse(null)).toBe(known);
});

it('a refused call that names a user who is no client is in no record of a client', async () => {
  const [client, member] = [await makeClient(database), await makeMember(database, await makeFirm(database))];
  const save = openAccessWriter(database);
  for (const { id } of [client, member]) {
    const { calls, ...rest } = batch(1, id);
    const refused = { ...(calls[0]?.event as AccessEvent), scopes: 0, status: 429, errorCode: 'rate_limit_exceeded' };
    await save({ ...rest, writer: randomUUID(), calls: [{ event: refused, listed: true }] });
  }
  expect([await recorded(client.id), await recorded(member.id)]).toEqual([['1'], []]);
});
