// Bench: growth of the product's cost with the number of assets, keys and scopes.
import { ALL_SCOPES, SCOPES, scopeSet } from '../src/core/scopes.ts';
import { openDatabase } from '../src/database/database.ts';
import { type Key, makeGrants, makeKeys } from './access.ts';
import { PRODUCT } from './contestants.ts';
import { changeSome, type DataSet, generateClients, largeClients } from './data.ts';
import { type Bench, type Measured, measure, prepareCells } from './measure.ts';
import { note } from './progress.ts';
import { markdownTable } from './report.ts';
import { quantile } from './results.ts';
import type { Target, Work } from './works.ts';

/** One caller, to measure a request without queueing. */
const CALLERS = 1;
const PACE = { rounds: 5, sliceMs: 500, warmUpMs: 500 };
const MAX_KEYS = 10_000;

interface Portfolio {
  clientId: string;
  assets: number;
  changedSince: string;
  registryIds: string[];
}

/** Measures only the product; adds the data that it needs. */
export async function measureGrowth(bench: Bench): Promise<string> {
  const portico = bench.running.filter(({ contestant }) => contestant.name === PRODUCT);
  note('growth: data');
  const database = await openDatabase({ url: bench.postgres.url });
  try {
    const { data } = bench;
    const portfolios = await makePortfolios(database, data);
    const keys = await makeKeys(database, data.firmId, MAX_KEYS, ALL_SCOPES, data.clients.slice(0, 1));
    const works = [
      ...portfolios.flatMap((portfolio) => worksOf(portfolio, data.keys)),
      ...[1, 10, 100, 1_000, MAX_KEYS].map((count) => keysWork(data, keys.slice(0, count))),
      ...(await scopesWorks(database, data)),
    ];
    await database.query({ text: 'vacuum analyze' });
    const cells = await prepareCells({ ...bench, running: portico }, works, () => [CALLERS]);
    return describe(await measure(bench, cells, PACE));
  } finally {
    await database.close();
  }
}

type Db = Parameters<typeof changeSome>[0];

async function makePortfolios(database: Db, data: DataSet): Promise<Portfolio[]> {
  const { client10k, client100k } = largeClients(data);
  const hundred = await generateClients(database, 1, 100, 4);
  const thousand = await generateClients(database, 1, 1_000, 5);
  const clients: [string, number][] = [
    [hundred.clientIds[0] as string, 100],
    [thousand.clientIds[0] as string, 1_000],
    [client10k, 10_000],
    [client100k, 100_000],
  ];
  const fresh = clients.slice(0, 2).map(([clientId]) => clientId);
  // The keys of the data set have grants only from its own clients.
  const keyIds = data.keys.map(({ id }) => id);
  await makeGrants(database, keyIds, ALL_SCOPES, fresh);
  const portfolios: Portfolio[] = [];
  for (const [clientId, assets] of clients) {
    const rows = await database.query<{ registry_id: string }>({
      text: 'select registry_id from items where client_id = $1 order by md5(id) limit 100',
      values: [clientId],
    });
    const registryIds = rows.map((row) => row.registry_id);
    portfolios.push({ clientId, assets, changedSince: await changeSome(database, clientId, 25), registryIds });
  }
  return portfolios;
}

const size = (count: number) => count.toLocaleString('en-GB');
const page = { page_size: '25' };

function worksOf({ clientId, assets, changedSince, registryIds }: Portfolio, keys: Key[]): Work[] {
  const work = (name: string, target: Omit<Target, 'key' | 'clientId'>): Work => ({
    name: `${name}, ${size(assets)} assets`,
    what: '',
    status: 200,
    targets: () =>
      registryIds.map((registryId, n) => ({ registryId, ...target, clientId, key: keys[n % keys.length] as Key })),
  });
  return [
    work('list', { resource: 'assets', query: page }),
    work('asset', { resource: 'asset' }),
    work('summary', { resource: 'summary' }),
    work('delta', { resource: 'assets', query: { ...page, updated_since: changedSince } }),
  ];
}

function keysWork({ clients: [clientId = ''] }: DataSet, keys: Key[]): Work {
  return {
    name: `list, ${size(keys.length)} ${keys.length === 1 ? 'key' : 'keys'}`,
    what: '',
    status: 200,
    targets: () => keys.map((key) => ({ key, clientId, resource: 'assets' as const, query: page })),
  };
}

/** The first n of the seven scopes. */
async function scopesWorks(database: Db, data: DataSet): Promise<Work[]> {
  const clients = data.clients.slice(0, 50);
  const works: Work[] = [];
  for (let count = 1; count <= SCOPES.length; count++) {
    const keys = await makeKeys(database, data.firmId, 5, scopeSet(SCOPES.slice(0, count)), clients);
    works.push({
      name: `list, ${count} ${count === 1 ? 'scope' : 'scopes'}`,
      what: '',
      status: 200,
      targets: () =>
        clients.map((clientId, n) => ({
          key: keys[n % keys.length] as Key,
          clientId,
          resource: 'assets' as const,
          query: page,
        })),
    });
  }
  return works;
}

function describe(measured: Measured[]): string {
  const rows = measured.map(({ cell, slices }) => {
    const latencies = slices.flatMap((slice) => [...slice.latencies]).sort((one, other) => one - other);
    const requests = slices.reduce((sum, slice) => sum + slice.requests, 0);
    const milliseconds = (of: 'gateway' | 'postgres') =>
      (1000 * slices.reduce((sum, slice) => sum + slice[of] * slice.requests, 0)) / requests;
    const figures = [quantile(latencies, 0.5), milliseconds('gateway'), milliseconds('postgres')];
    return [cell.work.name, ...figures.map((figure) => figure.toFixed(2))];
  });
  return [
    'The product alone, REST, one caller. Assets are those of one client; keys take turns on one client of 500 assets;',
    'scopes are the first so many of the seven. All lines are flat but that of the summary, which adds up how complete the',
    'documents of each item are, from an index; its counts and values do not grow. More scopes are longer answers.\n',
    markdownTable(['work', 'p50 ms', 'gateway CPU ms a request', 'PostgreSQL CPU ms a request'], rows),
  ].join('\n');
}
