// Bench: the data set that all contestants read: portfolios of several sizes, and access to them.
import { ALL_SCOPES, type ScopeSet, scopeSet } from '../src/core/scopes.ts';
import { type Database, openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { generate } from '../src/tools/generate/generate.ts';
import { type Key, makeKeys, makePlants, makeServiceToken } from './access.ts';
import { HORIZON_FUNCTION } from './contestants/plain/horizon.ts';
import { note } from './progress.ts';

export interface DataSet {
  firmId: string;
  /** 200 clients of 500 assets. */
  clients: string[];
  /** Absent if not needed: loading them takes as long as everything else. */
  large?: LargeClients;
  /** Keys with access to every client, with all scopes and with registry and valuation only. */
  keys: Key[];
  narrowKeys: Key[];
  /** A key of the smallest tier, with 100 requests a minute. */
  limitedKey: Key;
  serviceToken: string;
  plantTokens: string[];
  /** Some assets of each of `clients`. */
  assets: { clientId: string; registryId: string }[];
  /** Assets with 100 valuations. */
  valued: { clientId: string; registryId: string }[];
}

/** Clients of 10,000 and of 100,000 assets. */
export interface LargeClients {
  client10k: string;
  client100k: string;
  /** A time just before 25 assets of `client100k` changed. */
  changedSince: string;
}

export function largeClients({ large }: DataSet): LargeClients {
  if (large === undefined) throw new Error('the large clients are not in this data set');
  return large;
}

const PREFIX = 'PTC';
/** Together they allow 800,000 requests a minute, so that no contestant reaches its limit. */
const KEYS = 40;

export const NARROW_SCOPES: ScopeSet = scopeSet(['registry', 'valuation']);

/** Fills tables made by `migrateData`. Takes half the time without the large clients. */
export async function loadData(url: string, withLarge: boolean): Promise<DataSet> {
  const database = await openDatabase({ url });
  try {
    const many = await generateNoted(database, 200, 500, 1);
    const large = withLarge ? await generateLarge(database) : undefined;
    const everybody = [...many.clientIds, ...Object.values(large ?? {})];
    const valued = await addValuations(database, many.clientIds.slice(0, 20));
    note('data: keys, grants and tokens');
    const keys = await makeKeys(database, many.firmId, KEYS, ALL_SCOPES, everybody);
    const narrowKeys = await makeKeys(database, many.firmId, KEYS, NARROW_SCOPES, everybody);
    const [limitedKey] = await makeKeys(database, many.firmId, 1, ALL_SCOPES, everybody);
    if (limitedKey === undefined) throw new Error('no key');
    await database.query({
      text: `update api_keys set tier_override = 'sandbox' where id = $1`,
      values: [limitedKey.id],
    });
    const set = {
      firmId: many.firmId,
      clients: many.clientIds,
      ...{ keys, narrowKeys, limitedKey, valued },
      serviceToken: await makeServiceToken(database),
      plantTokens: await makePlants(database),
      assets: await someAssets(database, many.clientIds),
      // After the grants, since everything that a grant newly covers counts as changed for its holder.
      ...(large && { large: { ...large, changedSince: await changeSome(database, large.client100k, 25) } }),
    };
    note('data: vacuum');
    await database.query({ text: 'vacuum analyze' });
    await database.query({ text: 'checkpoint' });
    return set;
  } finally {
    await database.close();
  }
}

async function generateLarge(database: Database): Promise<Omit<LargeClients, 'changedSince'>> {
  const [client10k = ''] = (await generateNoted(database, 1, 10_000, 2)).clientIds;
  const [client100k = ''] = (await generateNoted(database, 1, 100_000, 3)).clientIds;
  return { client10k, client100k };
}

/** Creates the tables, or migrates those of a retained data set, and creates the function for hand-written gateways. */
export async function migrateData(url: string): Promise<void> {
  const database = await openDatabase({ url });
  try {
    await migrate(database, PREFIX);
    await database.query({ text: HORIZON_FUNCTION });
  } finally {
    await database.close();
  }
}

function generateNoted(database: Database, clients: number, items: number, seed: number) {
  note(`data: ${clients} × ${items.toLocaleString('en-GB')} assets`);
  return generateClients(database, clients, items, seed);
}

/** The same seed gives the same clients and items. */
export function generateClients(database: Database, clients: number, items: number, seed: number) {
  const sizes = { clients, items: clients * items, seed, valuations: 5, documents: 2 };
  return generate(database, { ...sizes, environment: 'production', platformPrefix: PREFIX });
}

/** Gives the first asset of each client 100 valuations. */
async function addValuations(database: Database, clientIds: string[]): Promise<DataSet['valued']> {
  await database.query({
    text: `insert into valuations (id, item_id, source, amount, currency, valued_at, appraiser)
      select 'val_' || substr(i.id, 5, 23) || lpad(n::text, 3, '0'), i.id, 'appraisal', v.amount + n, v.currency,
        timestamptz '2024-01-01' + n * interval '1 day', 'Appraiser ' || n
      from users u
      cross join lateral (select id from items where client_id = u.id order by id limit 1) i
      cross join lateral (select amount, currency from valuations where item_id = i.id order by id limit 1) v
      cross join generate_series(1, 95) as n
      where u.id = any($1::text[])`,
    values: [clientIds],
  });
  const rows = await database.query<{ client_id: string; registry_id: string }>({
    text: `select distinct on (client_id) client_id, registry_id from items where client_id = any($1::text[])
      order by client_id, id`,
    values: [clientIds],
  });
  return rows.map((row) => ({ clientId: row.client_id, registryId: row.registry_id }));
}

async function someAssets(database: Database, clientIds: string[]): Promise<DataSet['assets']> {
  const rows = await database.query<{ client_id: string; registry_id: string }>({
    text: `select client_id, registry_id from (
        select client_id, registry_id, row_number() over (partition by client_id order by id) as n
        from items where client_id = any($1::text[])) i
      where n % 50 = 7 order by n, client_id`,
    values: [clientIds],
  });
  return rows.map((row) => ({ clientId: row.client_id, registryId: row.registry_id }));
}

/** Changes some items of the client. Returns a time after all earlier changes and before these. */
export async function changeSome(database: Database, clientId: string, count: number): Promise<string> {
  const pause = { text: 'select pg_sleep(0.02)' };
  await database.query(pause);
  const [row] = await database.query<{ now: string }>({ text: 'select now_ms()::timestamptz(3) as now' });
  await database.query(pause);
  await database.query({
    text: `update items set title = title || ' *' where id in
      (select id from items where client_id = $1 order by id offset 50 limit $2)`,
    values: [clientId, count],
  });
  return row?.now ?? '';
}
