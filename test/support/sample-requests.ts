// Test support: sample requests of every operation, for tests that cover all of them. Add new endpoints here.

import { plantRoutes } from '#rest-facade/plants/plants.ts';
import { routes } from '#rest-facade/routes/index.ts';
import type { Route } from '#rest-facade/routes/route.ts';

/** Queries of each endpoint of area A, without `client_id`, the simplest first. */
const QUERIES: Record<string, readonly string[]> = {
  ListAssets: [
    '',
    'page_size=1',
    'page_size=2&page=2',
    'include=valuations',
    'include=documents,valuations',
    'category=WT',
    'min_value=1&max_value=99999',
    'updated_since=2026-01-01T00:00:00Z',
  ],
  GetAsset: ['', 'include=valuations', 'include=documents', 'include=valuations,documents'],
  ListValuations: ['', 'source=appraisal&page_size=1'],
  ListDocuments: [''],
  GetPortfolioSummary: [''],
};

export function sampleQueries({ operation }: Pick<Route, 'operation'>): readonly string[] {
  const queries = QUERIES[operation];
  if (queries === undefined) throw new Error(`${operation} has no sample requests in test/support/sample-requests.ts`);
  return queries;
}

const pathOf = ({ path }: Route, registryId: string) =>
  path.replace('/api/v1', '').replace('{registry_id}', registryId);

/** The path of each endpoint of area A, for `Partner.get`. */
export const plainPaths = (registryId: string): string[] => routes.map((route) => pathOf(route, registryId));

/** The paths of all samples of area A, for `Partner.get`; answered 200 if all scopes are granted. */
export function samplePaths(registryId: string): string[] {
  return routes.flatMap((route) =>
    sampleQueries(route).map((query) => pathOf(route, registryId) + (query === '' ? '' : `?${query}`)),
  );
}

export interface PlantSample {
  method: string;
  path: string;
  /** Sent as JSON. */
  body?: string;
}

/** By the route's method and path. */
const PLANTS: Record<string, readonly Omit<PlantSample, 'method'>[]> = {
  'GET /plants': [{ path: '/plants' }, { path: '/plants?limit=1' }],
  'POST /plants': [
    { path: '/plants', body: '{"id":1,"name":"Monstera"}' },
    { path: '/plants', body: '{"id":2,"name":"Fern","tag":"hall"}' },
  ],
  'DELETE /plants/{id}': [{ path: '/plants/1' }],
};

/** All samples of the plant store, in an order in which each is answered 2xx. */
export function plantSamples(): PlantSample[] {
  return plantRoutes.flatMap(({ method, path }) => {
    const samples = PLANTS[`${method} ${path}`];
    if (samples === undefined)
      throw new Error(`${method} ${path} has no sample requests in test/support/sample-requests.ts`);
    return samples.map((sample) => ({ method, ...sample }));
  });
}

/** Operations of internal tools with the variables `$c`, a client id, and `$t`, whose value fits only some of them. */
export const TOOL_OPERATIONS: readonly string[] = [
  'query($c:ID!,$t:String){assets(clientId:$c,after:$t){nodes{id title valuations{id} documents{id}} pagination{totalItems}}}',
  'query($c:ID!,$t:String!){asset(clientId:$c,registryId:$t){id notes estate{heirs{name}}}}',
  'query($c:ID!,$t:Timestamp){assets(clientId:$c,updatedSince:$t){nodes{id} removed{registryId} sync{asOf full}}}',
  'query($c:ID!,$t:Decimal){assets(clientId:$c,minValue:$t){nodes{id}}}',
  'query($c:ID!,$t:[String!]){assets(clientId:$c,categories:$t){nodes{id}}}',
  'query($t:ID!){limit(keyId:$t){used}}',
  'mutation($t:ID!,$c:String){setKeyTier(keyId:$t,tier:$c, reason: "x"){used}}',
  'mutation($t:ID!){setKeyShadow(keyId:$t,shadowed:true,reason:"a trial"){used}}',
  'mutation($t:String!){setTierShadow(tier:$t,shadowed:true,reason:"a trial"){tier}}',
  'mutation($t:ID!){setFirmLimit(firmId:$t,perMinute:70000,reason:"x"){used}}',
  'mutation($t:String!){issuePlantToken(account:$t){id}}',
  'mutation($t:String!,$c:Timestamp){issuePlantToken(account:$t,expiresAt:$c){id}}',
  '{limiterState limits{keyId used shadowHistory{reason}} tierShadows{tier history{reason}}}',
];
