// Bench: whether a client's pages of the access record take longer with fifty times as many calls of others.
import { type Database, openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { listAccess } from '../src/repositories/access-record/pages.ts';
import { addMonths } from '../src/repositories/access-record/partitions.ts';
import { note } from './progress.ts';
import { markdownTable } from './report.ts';
import { quantile, round } from './results.ts';
import { startPostgres } from './servers.ts';

/** Number of calls of the smaller record, and the factor of the larger one. */
const CALLS = 1_000_000;
const TIMES = 50;
const MONTHS = 10;
/** Per client, over all months, in both records. */
const CALLS_EACH = 2_000;
const KEYS_EACH = 4;
const FIRMS = 20;
const KEYS = 200;
const ROUNDS = 200;
const PAGE = 25;
/** Page size of the portal. */
const PORTAL_PAGE = 200;
const DEEP = 500;

const clientId = (number: number): string => `usr_${`${number}`.padStart(26, '0')}`;
const registryId = (number: number): string => `PTC-WT-${`${number}`.padStart(26, '0')}`;

interface Sized {
  name: string;
  calls: number;
  /** Bytes of a call on disk, including indexes. */
  bytes: number;
  database: Database;
}

export async function measureRecord(): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres(undefined);
  stack.defer(() => postgres.stop());
  const sizes: Sized[] = [];
  for (const [name, calls] of [
    ['small', CALLS],
    ['large', CALLS * TIMES],
  ] as const) {
    const database = await makeRecord(postgres.url, name, calls);
    stack.defer(() => database.close());
    sizes.push({ name, calls, bytes: await bytesEach(database, calls), database });
  }
  note('record: pages');
  return describe(sizes, await measurePages(sizes));
}

/** A database with this many calls until now, written in the order of time, with those of all clients mixed. */
async function makeRecord(url: string, name: string, calls: number): Promise<Database> {
  const admin = await openDatabase({ url });
  await admin.query({ text: `create database record_${name}` });
  await admin.close();
  const database = await openDatabase({ url: new URL(`/record_${name}`, url).href });
  await migrate(database, 'PTC');
  note(`record: ${calls.toLocaleString('en-GB')} calls`);
  const months = await database.query<{ month: string }>({
    text: `select (date_trunc('month', now() at time zone 'UTC') - ago * interval '1 month')::date as month
      from generate_series(0, $1::int - 1) ago order by 1`,
    values: [MONTHS],
  });
  await addMonths(
    database,
    months.map(({ month }) => month),
  );
  await makeNames(database, calls / CALLS_EACH);
  const rebuild = await dropIndexes(database);
  for (const [index, { month }] of months.entries()) {
    await makeMonth(database, month, {
      calls: calls / MONTHS,
      first: index * (calls / MONTHS),
      pairs: (calls / CALLS_EACH) * KEYS_EACH,
    });
    note(`record: ${index + 1} of ${MONTHS} months`);
  }
  for (const text of rebuild) await database.query({ text });
  await database.query({ text: 'vacuum analyze' });
  return database;
}

/** Firms, keys and the numbered values of calls. Clients need only an id. */
async function makeNames(database: Database, clients: number): Promise<void> {
  await database.query({
    text: `insert into firms (id, name, plan, plan_active, tier)
      select 'frm_' || lpad(n::text, 26, '0'), 'Firm ' || n, 'enterprise', true, 'enterprise' from generate_series(1, $1::int) n`,
    values: [FIRMS],
  });
  await database.query({
    text: `insert into api_keys (id, lineage_id, firm_id, name, environment, scopes, secret_hash, secret_prefix,
        secret_last_four, created_by)
      select id, id, 'frm_' || lpad((n % $2 + 1)::text, 26, '0'), 'Key ' || n, 'production', 127, sha256(id::bytea), 'sk_live_abcd',
        lpad(n::text, 4, '0'), 'operator:bench'
      from (select n, 'key_' || lpad(n::text, 26, '0') as id from generate_series(1, $1::int) n) made`,
    values: [KEYS, FIRMS],
  });
  await database.query({
    text: `insert into access_keys (key_id, firm_id, seen) select id, firm_id, current_date from api_keys order by id`,
  });
  await database.query({
    text: `insert into access_pairs (client_id, key_id, seen)
      select 'usr_' || lpad(client::text, 26, '0'),
        'key_' || lpad(((client * $2 + key) % $3 + 1)::text, 26, '0'), current_date
      from generate_series(0, $1::int - 1) client, generate_series(0, $2::int - 1) key order by client, key`,
    values: [clients, KEYS_EACH, KEYS],
  });
  await database.query({
    text: `insert into access_shapes (hash, seen, endpoint, scopes, error_code, disclosed, version)
      select md5(n::text)::uuid, current_date, 'GET /api/v1/assets', 127, case when n > 10 then 'asset_not_found' end, 3, '2026-01-15'
      from generate_series(1, 12) n`,
  });
  await database.query({
    text: `insert into access_origins (hash, seen, address, user_agent) select md5(n::text)::uuid, current_date, '192.0.2.' || n, 'integration/7'
      from generate_series(1, 50) n`,
  });
}

/** Returns the statements that recreate them: building them at once takes a fraction of the time. */
async function dropIndexes(database: Database): Promise<string[]> {
  const indexes = await database.query<{ name: string; made: string }>({
    text: `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as made from pg_index
      where indrelid = 'access_calls'::regclass`,
  });
  for (const { name } of indexes) await database.query({ text: `drop index ${name}` });
  return indexes.map(({ made }) => made.replace(' ON ONLY ', ' ON '));
}

/**
 * Each client's calls are at random times of a month; one in twenty is refused, three in four contain 25 items and the
 * rest one.
 */
async function makeMonth(
  database: Database,
  month: string,
  { calls, first, pairs }: { calls: number; first: number; pairs: number },
): Promise<void> {
  await database.query({
    text: `insert into access_calls (at, id, key, pair, shape, origin, took_us, status, related, items, registry_id, entry)
      select $1::date + n::float8 / $2 * least(interval '27 days', now() at time zone 'UTC' - $1::date), gen_random_uuid(), p.key, p.pair,
        case when p.refused then 11 else 1 + n % 10 end, 1 + n % 50, 4000 + n % 1000, case when p.refused then 404 else 200 end, true,
        case when p.refused then null when n % 4 = 0 then '\\x0107'::bytea else decode(repeat('01', 26), 'hex') end,
        case when n % 4 = 0 then $5 else '' end, n
      from (
        select n, (hashint8(n + $3)::bigint & 2147483647) % $4 as at, n % 20 = 0 as refused from generate_series(0, $2::bigint - 1) n) drawn
      cross join lateral (select drawn.at::int + 1 as pair, (drawn.at % $6 + 1)::int as key, drawn.refused) p`,
    values: [month, calls, first, pairs, registryId(7), KEYS],
  });
}

const EVERYTHING = {
  keyId: null,
  outcome: null,
  endpoint: null,
  since: null,
  until: null,
  firmId: null,
  requestId: null,
  registryId: null,
};

interface Page {
  /** The start of the page, known in advance because the previous page contained it. */
  after?: (database: Database, client: string) => Promise<[at: string, requestId: string]>;
  size?: number;
  filter?: { outcome?: 'refused'; registryId?: string };
}

const PAGES: Record<string, Page> = {
  'the newest 25': {},
  [`25, ${DEEP} calls back`]: {
    async after(database, client) {
      const before = (await listAccess(database, client, EVERYTHING, { size: DEEP, after: null }))[DEEP - 1];
      if (before === undefined) throw new Error(`${client} has too few calls`);
      return [before.at, before.requestId];
    },
  },
  [`the newest ${PORTAL_PAGE}`]: { size: PORTAL_PAGE },
  'refused calls': { filter: { outcome: 'refused' } },
  'calls that named an item': { filter: { registryId: registryId(7) } },
};

type Times = Record<string, Record<string, number[]>>;

/** A page of a random client, in one record and then in the other, in alternating order. */
async function measurePages(sizes: readonly Sized[]): Promise<Times> {
  const times: Times = Object.fromEntries(Object.keys(PAGES).map((page) => [page, { small: [], large: [] }]));
  for (let nth = -20; nth < ROUNDS; nth++) {
    const order = nth % 2 === 0 ? sizes : sizes.toReversed();
    for (const [page, { size = PAGE, filter, after }] of Object.entries(PAGES))
      for (const { name, calls, database } of order) {
        const client = clientId(Math.floor(Math.random() * (calls / CALLS_EACH)));
        const from = after === undefined ? null : await after(database, client);
        const began = performance.now();
        const rows = await listAccess(database, client, { ...EVERYTHING, ...filter }, { size, after: from });
        const took = performance.now() - began;
        if (rows.length < size) throw new Error(`${page}: ${client} has ${rows.length} calls in the ${name} record`);
        if (nth >= 0) times[page]?.[name]?.push(took);
      }
  }
  return times;
}

function describe(sizes: readonly Sized[], times: Times): string {
  const middle = (page: string, name: string, part = 0.5) =>
    quantile(
      (times[page]?.[name] ?? []).toSorted((one, other) => one - other),
      part,
    );
  const rows = Object.keys(PAGES).map((page) => [
    page,
    ...['small', 'large'].flatMap((name) => [round(middle(page, name), 2), round(middle(page, name, 0.95), 2)]),
    round(middle(page, 'large') / middle(page, 'small'), 2),
  ]);
  const [small = '', large = ''] = sizes.map(({ calls }) => calls.toLocaleString('en-GB'));
  return `A client's pages of the access record, in milliseconds at the repository, over records of ${small} and ${large} calls in
${MONTHS} months. Each client has ${CALLS_EACH.toLocaleString('en-GB')} calls of ${KEYS_EACH} keys in both; ${ROUNDS} reads of clients chosen at random, the two records
by turns. A call takes ${sizes.map(({ bytes }) => round(bytes, 0)).join(' and ')} bytes with its indexes.

${markdownTable(['page', small, '95 %', large, '95 %', 'times'], rows)}
`;
}

async function bytesEach(database: Database, calls: number): Promise<number> {
  const [row] = await database.query<{ bytes: number }>({
    text: `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'access_calls'::regclass`,
  });
  return (row?.bytes ?? Number.NaN) / calls;
}
