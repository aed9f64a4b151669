// Prepared statements of connections: few, whatever the requests, and correct after eviction.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase, type Sql } from '#database/database.ts';
import { MAX_PREPARED } from '#database/prepared-read.ts';
import { createDatabase, type TestDatabase } from '#test/support/database.ts';
import { startGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { makeItem } from '#test/support/scenario.ts';

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createDatabase();
});
beforeEach(async () => {
  database = await openDatabase({ url: server.url, connections: 3 });
  return () => database.close();
});
afterAll(() => server.drop());

const countOf = async (sql: Sql): Promise<number> => {
  const [row] = await sql.query<{ count: number }>({ text: 'select count(*) from pg_prepared_statements' });
  return row?.count ?? -1;
};

/** Reads the number by a statement with a text of its own. */
const read = async (sql: Sql, number: number) => {
  const [row] = await sql.query({ text: `select $1::int + ${number} as n${number}`, values: [0], prepare: true });
  return row;
};

it('the statements used last are kept, and evicted ones are prepared again', async () => {
  await database.connection(async (sql) => {
    for (let round = 0; round < 2; round++)
      for (let number = 0; number < 3 * MAX_PREPARED; number++) {
        expect(await read(sql, number)).toEqual({ [`n${number}`]: number });
        // Always used recently, so never evicted.
        expect(await read(sql, 9_999)).toEqual({ n9999: 9_999 });
      }
    expect(await countOf(sql)).toBe(MAX_PREPARED);
    const kept = await sql.query({ text: "select from pg_prepared_statements where statement like '%as n9999'" });
    expect(kept).toHaveLength(1);
  });
});

it('statements that fail to parse or execute do not add to their number, and others work after them', async () => {
  await database.connection(async (sql) => {
    for (let number = 0; number < 2 * MAX_PREPARED; number++) {
      const wrong = { text: `select wrong_${number}`, values: [], prepare: true };
      const failing = { text: `select 1 / $1::int as n${number}`, values: [0], prepare: true };
      for (const statement of [wrong, wrong])
        await expect(sql.query(statement)).rejects.toMatchObject({ code: '42703' });
      for (const statement of [failing, failing])
        await expect(sql.query(statement)).rejects.toMatchObject({ code: '22012' });
      expect(await read(sql, number)).toEqual({ [`n${number}`]: number });
    }
    expect(await countOf(sql)).toBeLessThanOrEqual(MAX_PREPARED);
  });
});

it('a statement evicted within a transaction is prepared again after an error and a rollback to a savepoint', async () => {
  await database.transaction(async (sql) => {
    for (let number = 0; number < 2 * MAX_PREPARED; number++) await read(sql, number);
    await sql.query({ text: 'savepoint before' });
    await expect(sql.query({ text: 'select no_such_column', prepare: true })).rejects.toMatchObject({ code: '42703' });
    await expect(read(sql, 0)).rejects.toMatchObject({ code: '25P02' });
    await sql.query({ text: 'rollback to before' });
    expect(await read(sql, 0)).toEqual({ n0: 0 });
    expect(await countOf(sql)).toBeLessThanOrEqual(MAX_PREPARED);
  });
});

it('thousands of different requests leave few prepared statements', async () => {
  const gateway = await startGateway({ env: { DATABASE_CONNECTIONS: '2' } });
  try {
    const partner = await makePartner(gateway);
    const items = [];
    for (const category of ['WT', 'AR', 'OT'])
      items.push(await makeItem(gateway.database, partner.client, { category }));
    const paths: string[] = [];
    for (let size = 1; size <= 100; size++)
      for (const filter of ['', '&category=WT', '&category=WT,AR', '&min_value=1', `&max_value=${size}99`, '&page=2'])
        for (const include of ['', '&include=valuations', '&include=documents'])
          paths.push(`/assets?page_size=${size}${filter}${include}`);
    const titles = new Map<string, unknown>();
    for (let at = 0; at < paths.length; at += 20) {
      const some = paths.slice(at, at + 20);
      const answers = await Promise.all(some.map((path) => partner.get(path)));
      for (const [index, { status, body }] of answers.entries()) {
        expect(status, some[index]).toBe(200);
        titles.set(some[index] as string, body.data.length);
      }
    }
    expect(titles.get('/assets?page_size=100&category=WT,AR')).toBe(2);
    expect(titles.get('/assets?page_size=2')).toBe(2);
    expect(titles.get('/assets?page_size=3')).toBe(3);
    expect(titles.get('/assets?page_size=1&page=2')).toBe(1);
    const counts = await Promise.all([countOf(gateway.database), countOf(gateway.database)]);
    for (const count of counts) expect(count).toBeLessThan(60);
  } finally {
    await gateway.stop();
  }
});
