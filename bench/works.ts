// Bench: the works: requests, callers, and correct answers.
import type { Key } from './access.ts';
import { type DataSet, largeClients } from './data.ts';

/** A request, independent of a contestant's dialect. */
export interface Target {
  /** Null for a key with a wrong checksum. */
  key: Key | null;
  clientId: string;
  resource: 'assets' | 'asset' | 'valuations' | 'documents' | 'summary' | 'plants';
  registryId?: string;
  /** REST parameters other than `client_id`. */
  query?: Record<string, string>;
  /** Whether only registry and valuation are granted. */
  narrow?: boolean;
  plantToken?: string;
  forwardedFor?: string;
}

export interface Work {
  name: string;
  /** For the report. */
  what: string;
  targets(data: DataSet): Target[];
  /** The status of a correct answer. */
  status: number;
  /** Repeats the request with the tag of its first answer. */
  conditional?: boolean;
  /** How many answers of a slice may be 200 instead, since a sliding window admits some. */
  mayAdmit?: number;
  /** Each caller follows `next` of the Link header to the end of the list before it starts again. */
  follow?: boolean;
  /** One request in a hundred is followed by a change of its portfolio. */
  written?: boolean;
}

/**
 * Number of targets of a round: enough that caching a single answer does not help. A multiple of the numbers of clients
 * and keys.
 */
const ROUND = 960;
/** Of a client with 500 assets. */
const PAGES = 20;
/** Coprime to the number of pages. */
const STRIDE = 1_237;
/**
 * Number of clients whose portfolios change during the bench. As many as keys, so that a round has few pairs of both,
 * which are soon cached.
 */
const WRITTEN = 40;

const turn = <Entry>(entries: readonly Entry[], number: number): Entry => entries[number % entries.length] as Entry;

/** A one-page list for each client, rotating clients and keys. */
function pages(query: Record<string, string>, clients: (data: DataSet) => string[], narrow = false) {
  return (data: DataSet): Target[] =>
    Array.from({ length: ROUND }, (_, number) => ({
      key: turn(narrow ? data.narrowKeys : data.keys, number),
      clientId: turn(clients(data), number),
      resource: 'assets',
      query,
      narrow,
    }));
}

/** Every page of every client, in an order that repeats a page only after all others. */
function everyPage(query: Record<string, string>) {
  return (data: DataSet): Target[] => {
    const clients = many(data);
    const count = clients.length * PAGES;
    return Array.from({ length: count }, (_, number) => {
      const place = (number * STRIDE) % count;
      const clientId = turn(clients, Math.floor(place / PAGES));
      const pageNumber = `${1 + (place % PAGES)}`;
      return { key: turn(data.keys, number), clientId, resource: 'assets', query: { ...query, page: pageNumber } };
    });
  };
}

/** A resource of one asset, or of a whole portfolio. */
function singles(
  resource: Target['resource'],
  of: (data: DataSet) => { clientId: string; registryId?: string }[],
  { query = {}, keys = (data: DataSet) => data.keys, narrow = false } = {},
) {
  return (data: DataSet): Target[] =>
    Array.from({ length: ROUND }, (_, number) => ({
      key: turn(keys(data), number),
      ...turn(of(data), number),
      resource,
      query,
      narrow,
    }));
}

const written = (data: DataSet) => data.clients.slice(-WRITTEN);
/** Clients whose portfolios do not change, so that works do not depend on those measured before. */
const many = (data: DataSet) => data.clients.slice(0, -WRITTEN);
/** Every fifth client uses yen, for which other bounds would be needed. */
const notInYen = (data: DataSet) => many(data).filter((_, number) => number % 5 !== 4);
const only = (client: 'client10k' | 'client100k') => (data: DataSet) => [largeClients(data)[client]];
const each = (data: DataSet) => many(data).map((clientId) => ({ clientId }));
const assets = (data: DataSet) => data.assets.filter(({ clientId }) => many(data).includes(clientId));
const page = { page_size: '25' };
const includes = { include: 'valuations,documents' };

export const WORKS: readonly Work[] = [
  { name: 'list', what: '25 of 500 assets, all scopes', targets: pages(page, many), status: 200 },
  {
    name: 'list-cold',
    what: 'every page of every client before any comes again, so that all are read',
    targets: everyPage(page),
    status: 200,
  },
  {
    name: 'list-two-scopes',
    what: 'the same, registry and valuation granted of seven',
    targets: pages(page, many, true),
    status: 200,
  },
  {
    name: 'list-includes',
    what: 'the same, all scopes, with valuations and documents of each asset',
    targets: pages({ ...page, ...includes }, many),
    status: 200,
  },
  {
    name: 'includes-cold',
    what: 'as list-cold, with valuations and documents of each asset',
    targets: everyPage({ ...page, ...includes }),
    status: 200,
  },
  {
    name: 'mixed',
    what: 'the list of portfolios that change: one request in a hundred is followed by a write to the one it asked for',
    targets: pages(page, written),
    status: 200,
    written: true,
  },
  {
    name: 'list-by-value',
    what: 'the same, of a market value between two bounds',
    targets: pages({ ...page, min_value: '2000', max_value: '50000.00' }, notInYen),
    status: 200,
  },
  { name: 'first-page-10k', what: 'page 1 of 10,000 assets', targets: pages(page, only('client10k')), status: 200 },
  {
    name: 'deep-page',
    what: 'page 400 of 10,000 assets',
    targets: pages({ ...page, page: '400' }, only('client10k')),
    status: 200,
  },
  {
    name: 'full-sync',
    what: '10,000 assets to their end along `next`, a hundred a page, by each caller for itself',
    targets: pages({ page_size: '100' }, only('client10k')),
    status: 200,
    follow: true,
  },
  { name: 'asset', what: 'one asset', targets: singles('asset', assets), status: 200 },
  {
    name: 'valuations',
    what: '100 valuations of one asset',
    targets: singles('valuations', (data) => data.valued, { query: { page_size: '100' } }),
    status: 200,
  },
  {
    name: 'documents',
    what: 'the documents of one asset',
    targets: singles('documents', assets),
    status: 200,
  },
  { name: 'summary', what: 'the summary of 500 assets, all scopes', targets: singles('summary', each), status: 200 },
  {
    name: 'summary-10k',
    what: 'the summary of 10,000 assets, registry and valuation granted: counts and sums',
    targets: singles('summary', (data) => [{ clientId: largeClients(data).client10k }], {
      keys: (data) => data.narrowKeys,
      narrow: true,
    }),
    status: 200,
  },
  {
    name: 'delta',
    what: '25 assets that changed of 100,000',
    targets: (data) => pages({ ...page, updated_since: largeClients(data).changedSince }, only('client100k'))(data),
    status: 200,
  },
  {
    name: 'not-modified',
    what: 'the list again, with the tag of its last answer: 304',
    targets: pages(page, many),
    status: 304,
    conditional: true,
  },
  {
    name: 'unauthenticated',
    what: 'a key with a wrong checksum, from many addresses: 401',
    targets: (data) =>
      // Callers without a key have 100 requests a minute per address.
      Array.from({ length: 16_384 }, (_, number) => ({
        key: null,
        clientId: turn(data.clients, number),
        resource: 'assets',
        query: page,
        forwardedFor: `10.9.${number >> 8}.${number & 255}`,
      })),
    status: 401,
  },
  {
    name: 'limited',
    what: 'a key that has used up its 100 a minute: 429',
    targets: (data) =>
      data.clients.map((clientId) => ({ key: data.limitedKey, clientId, resource: 'assets' as const })),
    status: 429,
    mayAdmit: 200,
  },
  {
    name: 'plants',
    what: 'GET /plants: 100 plants',
    targets: (data) =>
      data.plantTokens.map((plantToken) => ({ key: null, clientId: '', resource: 'plants' as const, plantToken })),
    status: 200,
  },
];

export const QUICK_WORKS = ['list', 'list-two-scopes', 'list-includes', 'asset'];

/** Works with the clients of 10,000 and of 100,000 assets. */
export const LARGE_WORKS = ['first-page-10k', 'deep-page', 'full-sync', 'summary-10k', 'delta'];

/** Concurrent callers. */
export const USUAL_CALLERS = 48;

/**
 * For quick runs: a slice waits for each caller's last answer, which takes slow contestants longer than everything
 * else.
 */
export const QUICK_CALLERS = 24;

/** Also measured with one caller and with 512. */
export const LADDER_WORKS = ['list', 'asset'];

export function workNamed(name: string): Work {
  const work = WORKS.find((each) => each.name === name);
  if (work === undefined) throw new Error(`no work is called "${name}"`);
  return work;
}
