// Gateway: grants and their events as shown to the caller. A firm learns nothing of items that it cannot see.
import type { AssetFilter } from '#core/asset-filter.ts';
import { hasScope, NO_SCOPES, type ScopeSet } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { type FilterNames, filterNames, TITLES_SHOWN } from '#repositories/grants/filter-names.ts';
import type { NamedGrantEvent } from '#repositories/grants/grant-events.ts';
import type { NamedGrant } from '#repositories/grants/grant-queries.ts';
import type { Context } from '../execution/context.ts';

export interface FilterView {
  type: AssetFilter['type'];
  categories: { code: string; name: string }[] | null;
  itemCount: number | null;
  items: { registryId: string; title: string | null }[] | null;
  registryIds: string[] | null;
  collection: { id: string; name: string | null; itemCount: number } | null;
}

export interface GrantView extends Omit<NamedGrant, 'filter'> {
  filter: FilterView;
}

export interface GrantEventView extends Omit<NamedGrantEvent, 'details'> {
  /** Null where the event did not change the scopes. */
  scopes: string[] | null;
  filter: FilterView | null;
  expirySet: boolean;
  expiresAt: string | null;
  purpose: string | null;
}

/** The part of a request's context that is needed to show grants. */
interface Viewing extends Pick<Context, 'principal'> {
  database: Sql;
  reference: Pick<Context['reference'], 'current'>;
}

export async function viewGrants(context: Viewing, grants: readonly NamedGrant[]): Promise<GrantView[]> {
  const names = await namesFor(context, grants);
  return grants.map((grant) => {
    const visibility = context.principal.kind === 'client' ? 'own' : inForce(grant);
    return { ...grant, filter: viewFilter(context, grant.filter, names, visibility) };
  });
}

export async function viewGrantEvents(context: Viewing, all: readonly NamedGrantEvent[]): Promise<GrantEventView[]> {
  const isOwn = context.principal.kind === 'client';
  // Firms do not learn that a request was declined, because that would reveal that the addressee exists.
  const events = isOwn ? all : all.filter(({ action }) => action !== 'decline');
  const set = events.map((event) => ({
    clientId: event.clientId,
    filter: event.details.filter as AssetFilter | undefined,
  }));
  const names = await namesFor(context, set);
  return events.map(({ details, ...event }, index) => {
    const filter = set[index]?.filter;
    // A firm may never have seen the items of an earlier filter, or may no longer see them.
    const visibility = isOwn ? 'own' : NO_SCOPES;
    return {
      ...event,
      scopes: (details.scopes as string[] | undefined) ?? null,
      filter: filter === undefined ? null : viewFilter(context, filter, names, visibility),
      expirySet: Object.hasOwn(details, 'expires_at'),
      expiresAt: (details.expires_at as string | null | undefined) ?? null,
      purpose: (details.purpose as string | undefined) ?? null,
    };
  });
}

/** The scopes through which the firm reads now: the portal shows it no more than the API would. */
const inForce = ({ status, scopes, keyScopes, keyUsable }: NamedGrant): ScopeSet =>
  status === 'active' && keyUsable ? scopes & keyScopes : NO_SCOPES;

function namesFor(
  { database }: Viewing,
  grants: readonly { clientId: string | null; filter: AssetFilter | undefined }[],
): Promise<FilterNames> {
  const clients = [...new Set(grants.flatMap(({ clientId }) => clientId ?? []))];
  return filterNames(
    database,
    clients,
    grants.flatMap(({ filter }) => filter ?? []),
  );
}

function viewFilter(
  { reference }: Viewing,
  filter: AssetFilter,
  { titles, collections }: FilterNames,
  visibility: 'own' | ScopeSet,
): FilterView {
  const sees = (scope: 'registry' | 'detail') => visibility === 'own' || hasScope(visibility, scope);
  const view: FilterView = {
    ...{ type: filter.type, categories: null, itemCount: null },
    ...{ items: null, registryIds: null, collection: null },
  };
  if (filter.type === 'category') {
    const names = new Map(reference.current().categories.map(({ code, name }) => [code, name]));
    view.categories = filter.categories.map((code) => ({ code, name: names.get(code) ?? code }));
  }
  if (filter.type === 'items') {
    view.itemCount = filter.items.length;
    if (sees('registry')) view.registryIds = filter.items;
    if (visibility === 'own')
      view.items = filter.items
        .slice(0, TITLES_SHOWN)
        .map((registryId) => ({ registryId, title: titles.get(registryId) ?? null }));
  }
  if (filter.type === 'collection' && sees('detail')) {
    const { name, itemCount } = collections.get(filter.collection) ?? { name: null, itemCount: 0 };
    view.collection = { id: filter.collection, name, itemCount };
  }
  return view;
}
