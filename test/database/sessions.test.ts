// Sessions of PostgreSQL: the product sets what responses depend on, whatever the defaults, and refuses other sessions.
import pg, { type PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { prepareSession } from '#database/session.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { urlOf, withClient } from '#test/support/database-server.ts';
import { backdate, syncPoint } from '#test/support/delta.ts';
import { startGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { makeClient, makeItem } from '#test/support/scenario.ts';

/** Settings that make responses wrong or fail. */
const ELSEWHERE: Record<string, string> = {
  timezone: 'Asia/Tokyo',
  datestyle: 'German',
  bytea_output: 'escape',
  extra_float_digits: '-10',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  search_path: 'elsewhere',
  default_transaction_isolation: 'serializable',
};

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createMigratedDatabase();
  const name = new URL(server.url).pathname.slice(1);
  await withClient(server.url, async (client) => {
    for (const [setting, value] of Object.entries(ELSEWHERE))
      await client.query(`alter database ${name} set ${setting} = '${value}'`);
  });
});
afterAll(() => server.drop());

describe('commits', () => {
  it.each([
    ['off', 'on'],
    ['local', 'local'],
    ['remote_apply', 'remote_apply'],
  ])('of sessions with synchronous_commit %s by default use %s', async (set, expected) => {
    const query = `?options=${encodeURIComponent(`-c synchronous_commit=${set}`)}`;
    const opened = await openDatabase({ url: server.url + query });
    try {
      const [row] = await opened.query({ text: "select current_setting('synchronous_commit') as commits" });
      expect(row).toEqual({ commits: expected });
    } finally {
      await opened.close();
    }
  });
});

describe('in a database with other defaults', () => {
  const options = Object.entries(ELSEWHERE).map(([name, value]) => `-c ${name}=${value}`);
  it.each([
    ['of its own', ''],
    ['and a URL with options', `?options=${encodeURIComponent(options.join(' '))}`],
  ])('%s sessions have the settings of the product', async (_, query) => {
    database = await openDatabase({ url: server.url + query, patienceMs: 10_000 });
    try {
      const [row] = await database.query({
        text: `select ${Object.keys(ELSEWHERE)
          .map((name) => `current_setting('${name}') as ${name}`)
          .join(', ')}, current_setting('transaction_isolation') as isolation,
          current_setting('statement_timeout') as statement_timeout`,
      });
      expect(row).toEqual({
        timezone: 'UTC',
        datestyle: 'ISO, MDY',
        bytea_output: 'hex',
        extra_float_digits: '1',
        client_encoding: 'UTF8',
        standard_conforming_strings: 'on',
        array_nulls: 'on',
        search_path: 'public',
        default_transaction_isolation: 'read committed',
        isolation: 'read committed',
        statement_timeout: '9s',
      });
    } finally {
      await database.close();
    }
  });

  it('a document counts through its last day in UTC, whatever the time zone of the session that writes it', async () => {
    const writer = await openDatabase({ url: server.url });
    try {
      const item = await makeItem(writer, await makeClient(writer));
      await withClient(server.url, async (client) => {
        await client.query(`set search_path = public; set timezone = '<ahead>-24';
          set default_transaction_isolation = 'read committed'`);
        await client.query(
          `insert into documents (id, item_id, type, expires_on)
            select $1, $2, recommended_documents[1], (now() at time zone 'UTC')::date
            from categories c join items i on i.category = c.code where i.id = $2`,
          [newId('document'), item.id],
        );
      });
      const text = `select c.score > 0 as counts, c.until = (now() at time zone 'UTC')::date as today
        from item_completeness c where c.item_id = $1`;
      expect(await writer.query({ text, values: [item.id] })).toEqual([{ counts: true, today: true }]);
    } finally {
      await writer.close();
    }
  });

  it('a delta contains the change, and `as_of` is the current time', async () => {
    const gateway = await startGateway({ databaseUrl: server.url });
    try {
      const partner = await makePartner(gateway);
      await backdate(gateway, partner);
      const since = await syncPoint(partner);
      expect(Math.abs(Date.now() - Date.parse(since))).toBeLessThan(30 * 60_000);
      const item = await makeItem(gateway.database, partner.client, { title: 'Müllers „Krug“ \\ 1' });
      const delta = await partner.get(`/assets?updated_since=${since}`);
      expect(delta.body.sync.full).toBe(false);
      expect(delta.body.data.map(({ registry_id }: { registry_id: string }) => registry_id)).toEqual([item.registryId]);
      expect(delta.body.data[0].title).toBe('Müllers „Krug“ \\ 1');
    } finally {
      await gateway.stop();
    }
  });
});

describe('a session is not used', () => {
  /** Prepares a session in which a pooler executes `between` after the first statement. */
  async function prepared(between: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: urlOf(server.url, 'postgres') });
    await client.connect();
    const query = client.query.bind(client) as (...words: unknown[]) => Promise<unknown>;
    client.query = (async (...words: unknown[]) => {
      const result = await query(...words);
      client.query = query as typeof client.query;
      await query(between);
      return result;
    }) as unknown as typeof client.query;
    return prepareSession(client as unknown as PoolClient, { settings: {}, own: true, patienceMs: 60_000 }).finally(
      () => client.end(),
    );
  }

  it('unless it has the settings of the product', async () => {
    expect(await prepared('select 1')).toEqual({ cluster: expect.stringMatching(/^\d+$/), timeline: 1 });
  });

  it.each([
    ["set timezone = 'Asia/Tokyo'", 'timezone is Asia/Tokyo where it was set to UTC'],
    ["set search_path = 'elsewhere'", 'search_path is elsewhere where it was set to public'],
    ["set default_transaction_isolation = 'repeatable read'", 'default_transaction_isolation is repeatable read'],
    ['set default_transaction_read_only = on', 'the server is read-only'],
    ["set portico.connection = 'another'", 'a pooler shares sessions between connections'],
    ['discard all', 'a pooler shares sessions between connections'],
  ])('after %s', async (between, reason) => {
    await expect(prepared(between)).rejects.toThrow(reason);
  });
});
