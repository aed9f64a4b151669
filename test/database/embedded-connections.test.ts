// The embedded PostgreSQL has one session for all connections: it does not mix their statements and transactions.

import { rm } from 'node:fs/promises';
import { Client, type Connection } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { type EmbeddedServer, openEmbedded } from '#database/embedded.ts';
import { embeddedDirectory } from '#test/support/engines.ts';

const CONNECTIONS = 12;
const EXPECTED = Array.from({ length: CONNECTIONS }, (_none, at) =>
  at % 3 === 2 ? 'division by zero' : (at * (at + 1)) / 2,
);

let directory: string;
let engine: EmbeddedServer;
let database: Database;

beforeAll(async () => {
  directory = await embeddedDirectory();
  engine = await openEmbedded(directory);
  database = await openDatabase({ url: engine.url, prepare: false, connections: CONNECTIONS + 1 });
  // Opens a connection for each, so that their later statements arrive together.
  await together();
});
afterAll(async () => {
  await database.close();
  await engine.close();
  await rm(directory, { recursive: true, force: true });
});

/** Executes one statement per connection, each with another number of parameters; every third fails. */
function together(): Promise<(number | string)[]> {
  return Promise.all(
    Array.from({ length: CONNECTIONS }, async (_none, at) => {
      const values = Array.from({ length: at + 1 }, (_one, parameter) => parameter);
      const sum = values.map((_value, parameter) => `$${parameter + 1}::int`).join(' + ');
      const text = at % 3 === 2 ? `select 1 / (0 * (${sum})) as sum` : `select ${sum} as sum`;
      return database.query<{ sum: number }>({ text, values }).then(
        ([row]) => row?.sum ?? 'no row',
        (error: Error) => error.message,
      );
    }),
  );
}

it('statements that waited for a transaction each get their own result or error', async () => {
  for (let round = 0; round < 5; round++) {
    let waiting: Promise<(number | string)[]> | undefined;
    await database.transaction(async (sql) => {
      waiting = together();
      // The waiting statements have been sent when these have been answered.
      for (let count = 0; count < 5; count++) await sql.query({ text: 'select pg_sleep(0.01)' });
    });
    expect(await waiting).toEqual(EXPECTED);
  }
});

const SELECT = 'select $1::int';
const INSERT = "insert into abandoned values ('')";
const TERMINATE = Buffer.from('X\0\0\0\x04', 'latin1');

it.each([
  { left: 'a statement without its end', statement: SELECT, values: ['1'] },
  { left: 'a failed statement without its end', statement: SELECT, values: ['1', '2'] },
  {
    left: 'a failed statement without its end, and a Terminate message',
    terminate: true,
    statement: SELECT,
    values: ['1', '2'],
  },
  { left: 'a write without its end', statement: INSERT, values: [] },
  { left: 'a write without its end, and a Terminate message', terminate: true, statement: INSERT, values: [] },
  { left: 'a transaction', begin: true, statement: SELECT, values: ['1'] },
  { left: 'a transaction in which a statement failed', begin: true, statement: SELECT, values: ['1', '2'] },
  { left: 'a transaction with a write', begin: true, statement: INSERT, values: [] },
])(
  'other connections are served after one was lost that left $left',
  async ({ begin = false, terminate = false, statement, values }) => {
    await database.query({ text: 'create table if not exists abandoned (a text)' });
    const lost = new Client({ connectionString: engine.url });
    lost.on('error', () => {});
    await lost.connect();
    if (begin) await lost.query('begin');
    const { connection } = lost as unknown as { connection: Connection };
    const failed = new Promise((done) => connection.once('errorMessage', done));
    const done = new Promise((then) => connection.once(values.length > 0 ? 'bindComplete' : 'commandComplete', then));
    connection.parse({ name: '', text: statement, types: [] }, true);
    connection.bind({ values }, true);
    connection.execute({}, true);
    connection.flush();
    await Promise.race([failed, done]);
    const waiting = together();
    if (terminate) connection.stream.end(TERMINATE);
    else connection.stream.destroy();
    expect(await waiting).toEqual(EXPECTED);
    expect(await database.query({ text: 'select from abandoned' })).toEqual([]);
  },
);
