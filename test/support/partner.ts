// Test support: a partner at a gateway: a key, a client, the grant between them, and calls of area A with it.

import type { AssetFilter } from '#core/asset-filter.ts';
import { ALL_SCOPES, type ScopeSet } from '#core/scopes.ts';
import type { Grant } from '#repositories/grants/grant-queries.ts';
import type { User } from '#repositories/users.ts';
import type { TestGateway } from './gateway.ts';
import {
  type CallOptions,
  call,
  type Key,
  makeClient,
  makeFirm,
  makeGrant,
  makeKey,
  type Response,
} from './scenario.ts';

export interface Partner {
  key: Key;
  client: User;
  grant: Grant;
  /** GETs `/api/v1` + `path` for the client; the path may contain other parameters. */
  get(path: string, options?: CallOptions): Promise<Response>;
}

export interface PartnerChanges {
  key?: Key;
  client?: User;
  /** The scopes of the grant; a new key has all scopes. */
  scopes?: ScopeSet;
  filter?: AssetFilter;
}

/** `/api/v1` + `path`, with the client id as a parameter. */
export function pathFor(clientId: string, path: string): string {
  return `/api/v1${path}${path.includes('?') ? '&' : '?'}client_id=${clientId}`;
}

export async function makePartner(
  { url, database }: Pick<TestGateway, 'url' | 'database'>,
  { key, client, scopes = ALL_SCOPES, filter = { type: 'all' } }: PartnerChanges = {},
): Promise<Partner> {
  const holder = key ?? (await makeKey(database, await makeFirm(database)));
  const owner = client ?? (await makeClient(database));
  const grant = await makeGrant(database, holder, owner, { scopes, filter });
  return {
    key: holder,
    client: owner,
    grant,
    get: (path, options) => call(url + pathFor(owner.id, path), holder.secret, options),
  };
}
