// Bench, hand-written gateways: the database queries of the handlers, implemented differently by each floor.
import type { AssetFilter } from '../../../src/core/asset-filter.ts';
import type { Scope } from '../../../src/core/scopes.ts';
import type { Tier } from '../../../src/core/tiers.ts';

/** The current key, plan of its firm, client and newest grant. */
export interface Admitted {
  lineageId: string;
  tier: Tier;
  keyScopes: number;
  revoked: boolean;
  expired: boolean;
  planActive: boolean;
  clientId: string | null;
  currency: string;
  grant: { status: string; expired: boolean; scopes: number; filter: AssetFilter; changedAt: string } | null;
  horizon: string | null;
}

export interface View {
  clientId: string;
  currency: string;
  scopes: Set<Scope>;
  filter: AssetFilter;
  changedAt: string;
  horizon: string;
}

export interface ListQuery {
  categories: string[] | null;
  minValue: string | null;
  maxValue: string | null;
  /** Only later changes, in the order of change. */
  since: string | null;
  page: number;
  size: number;
  /** The id of the last asset of the previous page, for a page by cursor. */
  after: string | null;
  valuations: boolean;
  documents: boolean;
}

/** Bodies are ready for JSON.stringify. */
export interface Store {
  admit(secretHash: Buffer, clientId: string, withHorizon: boolean): Promise<Admitted | null>;
  list(view: View, query: ListQuery): Promise<{ assets: object[]; total: number; keys: string[][]; snapshot: string }>;
  removals(view: View, since: string): Promise<object[]>;
  asset(view: View, registryId: string, include: Pick<ListQuery, 'valuations' | 'documents'>): Promise<Found<object>>;
  valuations(
    view: View,
    registryId: string,
    page: { page: number; size: number },
  ): Promise<Found<{ rows: object[]; total: number; keys: string[][] }>>;
  documents(view: View, registryId: string): Promise<Found<{ data: object[]; completeness: object }>>;
  summary(view: View): Promise<object>;
  plantAccount(tokenHash: Buffer): Promise<{ id: string; account: string } | null>;
  plants(account: string): Promise<{ name: string; tag: string | null }[]>;
}

/** Null if the client has no such asset. */
export type Found<Body> = { body: Body; inView: boolean } | null;

/** Documentation completeness of the recommended types, some of which are present. */
export function completeness(recommended: string[], present: string[]) {
  const missing = recommended.filter((type) => !present.includes(type));
  const score = recommended.length === 0 ? 100 : Math.floor((100 * present.length) / recommended.length);
  return { score, present, missing };
}
