// Guarantee: the access record says exactly which items each response contained, and the fields of which scopes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssetFilter } from '#core/asset-filter.ts';
import { unpackNumbers } from '#core/disclosure.ts';
import { ALL_SCOPES, hasScope, SCOPES, type ScopeSet, scopesOf } from '#core/scopes.ts';
import { itemsByNumber } from '#repositories/access-record/item-names.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner, pathFor } from '#test/support/partner.ts';
import { until } from '#test/support/ports.ts';
import { call, furnish, makeClient, makeItem, type Response } from '#test/support/scenario.ts';
import { graphql, makeServiceToken } from '#test/support/tools.ts';
import { Chance } from './chance.ts';
import {
  type Disclosed,
  difference,
  disclosedByGraphql,
  disclosedByRecord,
  disclosedByRest,
  type RecordRow,
} from './disclosed-bodies.ts';
import { STEPS, type Stage } from './portfolio-steps.ts';

/** Calls to compare. */
const CALLS = Number(process.env.PORTICO_DISCLOSED_CALLS ?? 800);
const ITEMS = 30;
/** Clients whose calls run concurrently; the calls about one client run one after the other. */
const CLIENTS = 8;

/** A partner and its twin, which sees all fields of the same items. */
interface Pair {
  stage: Stage;
  partner: Partner;
  twin: Partner;
  scopes: ScopeSet;
  /** Shared by all calls about the client. */
  chance: Chance;
  /** Values of `as_of` from which deltas may continue, shared by all pairs of the client. */
  asOf: string[];
  tags: Map<string, { tag: string; body: Response['body'] }>;
}

let gateways: TestGateway[];
let token: string;
/** By client. */
const lanes: Pair[][] = [];
const chance = new Chance();
/** What bodies disclosed, by request id; calls of tools by their time. */
const disclosures = new Map<string, Disclosed>();
const toolCalls: { clientId: string; from: number; until: number; disclosed: Disclosed }[] = [];

beforeAll(async () => {
  const first = await startGateway();
  gateways = [first, await startGateway({ databaseUrl: first.databaseUrl })];
  const { database } = first;
  token = await makeServiceToken(database, 'support');
  await Promise.all(Array.from({ length: CLIENTS }, (_, nth) => makeLane(first, chance.fork(nth))));
});
afterAll(async () => {
  for (const gateway of gateways.toReversed()) await gateway.stop();
});

async function makeLane(gateway: TestGateway, ofLane: Chance): Promise<void> {
  const { database } = gateway;
  const client = await makeClient(database);
  const collections: string[] = [];
  const asOf: string[] = [];
  const items = [];
  for (let at = 0; at < ITEMS; at++) items.push(await makeItem(database, client, { category: at % 3 ? 'WT' : 'AR' }));
  for (const item of items.slice(0, 3)) collections.push((await furnish(database, client, item)).collectionId);
  const [collection = ''] = collections;
  const named = items.slice(5, 25).map(({ registryId }) => registryId);
  const filters: AssetFilter[] = [
    ...[{ type: 'all' } as const, { type: 'category' as const, categories: ['WT'] }],
    ...[{ type: 'items', items: named } as const, { type: 'collection', collection } as const],
  ];
  const lane: Pair[] = [];
  for (const filter of filters)
    for (const scopes of [ALL_SCOPES, 1 + ofLane.below(127), ofLane.pick([2, 1, 64, 17])]) {
      const partner = await makePartner(gateway, { client, scopes, filter });
      const twin = await makePartner(gateway, { client, filter });
      const stage = { clientId: client.id, collections };
      lane.push({ stage, partner, twin, scopes, chance: ofLane, asOf, tags: new Map() });
    }
  lanes.push(lane);
}

const database = () => (gateways[0] as TestGateway).database;

const ask = (chance: Chance, partner: Partner, path: string, options = {}): Promise<Response> =>
  call(chance.pick(gateways).url + pathFor(partner.client.id, path), partner.key.secret, options);

/** Registry ids in the twin's response to the same request. */
async function idsFor({ twin, chance }: Pair, path: string): Promise<string[]> {
  const response = await ask(chance, twin, path);
  disclosures.set(idOf(response), disclosedByRest('list', response.body, { ids: registryIds(response), named: '' }));
  return registryIds(response);
}

const registryIds = ({ body }: Response): string[] => body.data.map((row: { registry_id: string }) => row.registry_id);
const idOf = ({ headers }: Response): string => headers.get('x-request-id') ?? '';

async function restCall(pair: Pair, given?: [route: string, path: string, named: string]): Promise<void> {
  const { partner, scopes, chance } = pair;
  const [route, path, named] = given ?? (await pathOf(pair));
  const before = given === undefined ? pair.tags.get(path) : undefined;
  const headers = before !== undefined && chance.likely(0.5) ? { 'If-None-Match': before.tag } : {};
  const method = given === undefined && chance.likely(0.08) ? 'HEAD' : 'GET';
  const response = await ask(chance, partner, path, { method, headers });
  expect([200, 304, 403, 404], response.text).toContain(response.status);
  if (response.status === 304) {
    if (before === undefined) throw new Error('304 without If-None-Match');
    // A body without ids may meanwhile describe another item.
    const ids = route === 'list' ? await idsFor(pair, path) : [];
    return void disclosures.set(idOf(response), disclosedByRest(route, before.body, { ids, named }));
  }
  if (response.status >= 400 || method === 'HEAD') return void disclosures.set(idOf(response), new Set());
  const ids = route === 'list' ? await idsFor(pair, path) : [];
  const carried = disclosedByRest(route, response.body, { ids, named });
  disclosures.set(idOf(response), carried);
  const tag = response.headers.get('etag');
  if (tag !== null && !path.includes('updated_since')) pair.tags.set(path, { tag, body: response.body });
  if (response.body.sync !== undefined && hasScope(scopes, 'registry')) pair.asOf.push(response.body.sync.as_of);
}

/** Makes sure that at least one removal is reported: the random steps may have caused none. */
async function seeRemoval(pair: Pair): Promise<void> {
  await restCall(pair, ['list', '/assets?page_size=1', '']);
  await database().query({
    text: 'delete from items where id = (select id from items where client_id = $1 order by id limit 1)',
    values: [pair.partner.client.id],
  });
  await restCall(pair, ['list', `/assets?updated_since=${pair.asOf.at(-1)}`, '']);
}

async function pathOf(pair: Pair): Promise<[route: string, path: string, named: string]> {
  const { scopes, asOf, chance } = pair;
  const include = [
    ...(hasScope(scopes, 'valuation') && chance.likely(0.4) ? ['valuations'] : []),
    ...(hasScope(scopes, 'documentation') && chance.likely(0.4) ? ['documents'] : []),
  ];
  const included = include.length > 0 ? [`include=${include.join(',')}`] : [];
  const named = await someItem(pair);
  const one = `/assets/${named}`;
  const since = asOf.length > 0 && chance.likely(0.5) ? [`updated_since=${chance.pick(asOf)}`] : [];
  const size = chance.pick([1, 5, 25, 100]);
  const page = since.length === 0 ? [`page=${1 + chance.below(3)}`] : [];
  const narrowed = hasScope(scopes, 'registry') && chance.likely(0.3) ? ['category=WT'] : [];
  const list = `/assets?${[`page_size=${size}`, ...page, ...included, ...since, ...narrowed].join('&')}`;
  const routes: [string, string][] = [
    ...Array.from({ length: 4 }, (): [string, string] => ['list', list]),
    ['item', [one, ...included].join('?')],
    ['valuations', `${one}/valuations${chance.pick(['', '?page_size=1', '?source=spot_price', '?page=3'])}`],
    ['documents', `${one}/documents`],
    ['summary', '/portfolio/summary'],
  ];
  const [route, path] = chance.pick(routes);
  return [route, path, named];
}

async function someItem({ partner, chance }: Pair): Promise<string> {
  const rows = await database().query<{ id: string }>({
    text: 'select registry_id as id from items where client_id = $1 order by id',
    values: [partner.client.id],
  });
  return chance.pick(rows).id;
}

const ASSET_FIELDS = [
  ...[
    'registryId',
    'title',
    'marketValue { amount }',
    'purchasedOn',
    'notes',
    'collections { name }',
    'categoryFields',
  ],
  ...['documentation { score }', 'estate { heirs { name } }', 'verification { status }', '__typename'],
  ...['valuations(first: 2) { source }', 'valuations(first: 1) { registryId value { amount } }', 'documents { title }'],
];

async function toolCall(pair: Pair): Promise<void> {
  const { partner, chance } = pair;
  const fields = () => Array.from({ length: 1 + chance.below(4) }, () => chance.pick(ASSET_FIELDS));
  // Each field once: two counts of valuations conflict.
  const chosen = () => [...new Map(fields().map((field) => [field.split(/\W/)[0], field])).values()].join(' ');
  const ids = new Map<string, string[]>();
  const roots: string[] = [];
  for (let nth = 1 + chance.below(2); nth > 0; nth--) {
    const named = await someItem(pair);
    const size = chance.pick([1, 3, 30]);
    const of = `clientId: $c, registryId: "${named}"`;
    const kind = chance.pick(['list', 'list', 'item', 'valuations', 'documents', 'summary']);
    const key = `${kind}_${nth}`;
    ids.set(key, kind === 'list' ? await idsFor(pair, `/assets?page_size=${size}`) : [named]);
    const shape = chance.pick([`nodes { ${chosen()} }`, `edges { node { ${chosen()} } }`, 'pagination { totalItems }']);
    const texts: Record<string, string> = {
      list: `assets(clientId: $c, first: ${size}) { ...on AssetConnection { ${shape} } }`,
      item: `asset(${of}) { ${chosen()} }`,
      valuations: `valuations(${of}, first: 1) { nodes { ${chance.pick(['source', 'registryId source', '__typename'])} } }`,
      documents: `documents(${of}) { ${chance.pick(['completeness { score }', 'nodes { title registryId }'])} }`,
      summary: `portfolioSummary(clientId: $c) { ${chance.pick(['itemCount', 'totalValue { amount }', 'asOf'])} }`,
    };
    roots.push(`${key}: ${texts[kind]}`);
  }
  const query = `query ($c: ID!) { ${roots.join(' ')} }`;
  // Another media type takes another path through the gateway.
  const headers: Record<string, string> = chance.likely(0.4) ? { Accept: 'application/json, */*;q=0.5' } : {};
  const from = Date.now();
  const gateway = chance.pick(gateways);
  const variables = { c: partner.client.id };
  const response = await graphql(gateway.internalUrl, token, { query, variables }, { actAs: partner.key.id, headers });
  const clientId = partner.client.id;
  const until = Date.now();
  toolCalls.push({ clientId, from, until, disclosed: disclosedByGraphql(response.body, (key) => ids.get(key) ?? []) });
  // The next call must begin in another millisecond.
  while (Date.now() === until) await new Promise(setImmediate);
}

type Recorded = RecordRow & { requestId: string; clientId: string; at: number; tool: boolean };

/** The whole access record, with items by their registry ids. */
async function readRecord(): Promise<Recorded[]> {
  const rows = await database().query<{
    requestId: string;
    clientId: string;
    at: string;
    tool: boolean;
    status: number;
    items: Buffer | null;
    removed: Buffer | null;
    disclosed: number | null;
  }>({
    text: `select request_id as "requestId", client_id as "clientId", at, tool_id is not null as tool, status, items, removed, disclosed
      from recorded_calls`,
  });
  const numbers = rows.flatMap(({ items, removed }) =>
    [items, removed].flatMap((of) => unpackNumbers(of ?? Buffer.of())),
  );
  const names = await itemsByNumber(database(), [...new Set(numbers)].map(String));
  const named = (packed: Buffer) => unpackNumbers(packed).map((number) => names.get(String(number))?.registryId ?? '?');
  return rows.map(({ requestId, clientId, at, tool, status, items, removed, disclosed }) => ({
    ...{ requestId, clientId, at: Date.parse(at), tool },
    items: items === null ? (status >= 400 ? [] : null) : named(items),
    removed: removed === null ? [] : named(removed),
    disclosed: disclosed === null ? (status >= 400 ? [] : null) : scopesOf(disclosed),
  }));
}

/** What the body or the record of a call contains and the other does not, over all calls. */
function differences(record: readonly Recorded[]): string[] {
  const byId = new Map(record.map((line) => [line.requestId, line]));
  const rest = [...disclosures].flatMap(([id, body]) =>
    difference(body, disclosedByRecord([byId.get(id)].filter((each) => each !== undefined))),
  );
  const byTools = record.filter(({ tool }) => tool);
  const tools = toolCalls.flatMap(({ clientId, from, until: end, disclosed: body }) => {
    const lines = byTools.filter((line) => line.clientId === clientId && line.at >= from && line.at <= end);
    return difference(body, disclosedByRecord(lines));
  });
  return [...rest, ...tools];
}

describe(`the access record (seed ${chance.seed})`, () => {
  let record: Recorded[];

  it(`names each disclosed item and scope of ${CALLS} calls to two gateways while the portfolio changes`, async () => {
    let left = CALLS;
    const callFor = async (lane: Pair[]) => {
      while (left-- > 0) {
        const pair = (lane[0] as Pair).chance.pick(lane);
        if (pair.chance.likely(0.25)) await pair.chance.pick(STEPS)(database(), pair.stage, pair.chance);
        await (pair.chance.likely(0.25) ? toolCall(pair) : restCall(pair));
      }
    };
    await Promise.all(lanes.map(callFor));
    await seeRemoval(lanes[0]?.[0] as Pair);
    // Each gateway saves its calls in order: once the last one is recorded, all are.
    for (const { url } of gateways) {
      const [[{ partner }]] = lanes as [[Pair]];
      disclosures.set(
        idOf(await call(`${url}/api/v1/assets/none?client_id=${partner.client.id}`, partner.key.secret)),
        new Set(),
      );
    }
    const saved = async () => {
      record = await readRecord();
      const ids = new Set(record.map(({ requestId }) => requestId));
      return [...disclosures.keys()].every((id) => ids.has(id));
    };
    await until(saved, 60_000, () => new Error('calls are not recorded'));
    expect(differences(record)).toEqual([]);
    const carried = [...disclosures.values(), ...toolCalls.map((each) => each.disclosed)];
    // The calls covered every kind of disclosure.
    for (const part of [...SCOPES, 'removed'])
      expect(carried.some((of) => [...of].some((each) => each.endsWith(part)))).toBe(true);
  }, 3_600_000);

  const planted: [string, (line: Recorded) => Recorded | null][] = [
    ['a missing item', (line) => (line.items?.length ? { ...line, items: line.items.slice(1) } : null)],
    ['an additional item', (line) => (line.items?.length ? { ...line, items: [...line.items, 'another'] } : null)],
    ['a missing scope', (line) => (line.disclosed?.length ? { ...line, disclosed: line.disclosed.slice(1) } : null)],
    [
      'an additional scope',
      (line) =>
        line.items?.length && line.disclosed?.length && line.disclosed.length < SCOPES.length
          ? { ...line, disclosed: [...SCOPES] }
          : null,
    ],
    ['a missing removal', (line) => (line.removed.length ? { ...line, removed: [] } : null)],
    [
      'a removal recorded as an item',
      (line) => (line.removed.length ? { ...line, items: line.removed, disclosed: ['registry'], removed: [] } : null),
    ],
    ['no disclosure', (line) => (line.items?.length ? { ...line, items: null, disclosed: null } : null)],
  ];
  it.each(planted)('a row with %s is detected by the comparison', (_name, plant) => {
    const fitting = record.filter((line) => !line.tool && disclosures.has(line.requestId) && plant(line) !== null);
    expect(fitting.length).toBeGreaterThan(0);
    const chosen = chance.pick(fitting);
    expect(differences(record.map((line) => (line === chosen ? (plant(line) ?? line) : line)))).not.toEqual([]);
  });
});
