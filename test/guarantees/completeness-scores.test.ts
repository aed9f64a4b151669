// Guarantee: the stored completeness of an item is that of its documents, also after concurrent transactions.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import type { Sql } from '#database/database.ts';
import { rescoreExpired } from '#repositories/maintenance.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { insert, makeClient, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const TYPES = ['purchase_receipt', 'insurance_policy', 'appraisal_report'];

/** A furniture item with three of the five recommended types of document. */
async function makeScored(): Promise<{ id: string; documents: string[] }> {
  const { database } = gateway;
  const { id } = await makeItem(database, await makeClient(database), { category: 'FA' });
  const documents: string[] = [];
  for (const type of TYPES) {
    const document = newId('document');
    await insert(database, 'documents', { id: document, item_id: id, type });
    documents.push(document);
  }
  return { id, documents };
}

const scoreOf = async (id: string) => {
  const text =
    'select score, score_of(item_id, recommended_documents) as real from item_completeness join categories on code = category where item_id = $1';
  const [row] = await gateway.database.query<{ score: number; real: number }>({ text, values: [id] });
  return row;
};

/** Runs `second` while a transaction that has done `first` is open; it may have to wait for the commit. */
async function concurrently(first: (sql: Sql) => Promise<unknown>, second: () => Promise<unknown>): Promise<void> {
  const { database } = gateway;
  let other: Promise<unknown> = Promise.resolve();
  await database.transaction(async (sql) => {
    await first(sql);
    let ended = false;
    other = second().finally(() => {
      ended = true;
    });
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => ended || (await database.query({ text: waiting })).length > 0).toBe(true);
  });
  await other;
}

const expire = (sql: Sql, id: string | undefined) =>
  sql.query({ text: `update documents set expires_on = '2020-01-01' where id = $1`, values: [id] });

it('the score is right after two transactions each expire a document of an item', async () => {
  const { id, documents } = await makeScored();
  await concurrently(
    (sql) => expire(sql, documents[0]),
    () => expire(gateway.database, documents[1]),
  );
  expect(await scoreOf(id)).toEqual({ score: 20, real: 20 });
});

it('the score is right after a private column of one document changes while another document expires', async () => {
  const { id, documents } = await makeScored();
  const move = { text: `update documents set file_path = '/elsewhere' where id = $1`, values: [documents[1]] };
  await concurrently(
    (sql) => expire(sql, documents[0]),
    () => gateway.database.query(move),
  );
  expect(await scoreOf(id)).toEqual({ score: 40, real: 40 });
});

it('the score is right after upkeep recomputes it while a document is added', async () => {
  const { id } = await makeScored();
  const { database } = gateway;
  await database.query({
    text: `update item_completeness set until = '2020-01-01' where item_id = $1`,
    values: [id],
  });
  await concurrently(
    (sql) =>
      insert(sql as typeof database, 'documents', { id: newId('document'), item_id: id, type: 'condition_report' }),
    () => rescoreExpired(database),
  );
  expect(await scoreOf(id)).toEqual({ score: 80, real: 80 });
});

it('the score is right after its category recommends another document while one is added', async () => {
  const { id } = await makeScored();
  const { database } = gateway;
  const recommend = `update categories set recommended_documents = recommended_documents || '{photograph}' where code = 'FA'`;
  await concurrently(
    (sql) =>
      insert(sql as typeof database, 'documents', { id: newId('document'), item_id: id, type: 'condition_report' }),
    () => database.query({ text: recommend }),
  );
  expect(await scoreOf(id)).toEqual({ score: 66, real: 66 });
});

it.each([
  ['added to', 'CL'],
  ['moved to', 'BK'],
])(
  'the score is right of an item that is %s its category while that recommends other documents',
  async (how, category) => {
    const { database } = gateway;
    const client = await makeClient(database);
    const id = newId('item');
    if (how === 'moved to') await makeItem(database, client, { id, category: 'OT' });
    await concurrently(
      (sql) =>
        sql.query({ text: `update categories set recommended_documents = '{}' where code = $1`, values: [category] }),
      () =>
        how === 'moved to'
          ? database.query({ text: 'update items set category = $2 where id = $1', values: [id, category] })
          : makeItem(database, client, { id, category }),
    );
    expect(await scoreOf(id)).toEqual({ score: 100, real: 100 });
  },
);

it('the score is right of an item that is added before its category recommends other documents, and committed after', async () => {
  const { database } = gateway;
  const client = await makeClient(database);
  const id = newId('item');
  await concurrently(
    (sql) => makeItem({ ...database, query: sql.query } as typeof database, client, { id, category: 'AR' }),
    () => database.query({ text: `update categories set recommended_documents = '{}' where code = 'AR'` }),
  );
  expect(await scoreOf(id)).toEqual({ score: 100, real: 100 });
});
