// Repositories: validation of a grant's terms: what the filter names must exist and belong to the client.
import type { AssetFilter } from '#core/asset-filter.ts';
import { refuseParameter } from '#core/errors.ts';
import { type GrantTerms, isNarrower } from '#core/grant-lifecycle.ts';
import { scopesOf } from '#core/scopes.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { findValue, readValue } from '#database/rows.ts';
import { insideFilter } from '../assets/asset-sql.ts';
import { requireFuture, requireScopes } from '../input-checks.ts';

/** Terms to change; absent ones stay as they are. */
export type TermChanges = { [Name in keyof GrantTerms]?: GrantTerms[Name] | undefined };

export const termsOf = ({ scopes, filter, expiresAt }: GrantTerms): GrantTerms => ({ scopes, filter, expiresAt });

export function givenTerms({ scopes, filter, expiresAt }: TermChanges): Partial<GrantTerms> {
  return {
    ...(scopes === undefined ? {} : { scopes }),
    ...(filter === undefined ? {} : { filter }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** `clientId` null means no client, who owns no items or collections. */
export async function requireTerms(sql: Sql, clientId: string | null, terms: Partial<GrantTerms>): Promise<void> {
  if (terms.scopes !== undefined) requireScopes(terms.scopes);
  if (terms.expiresAt !== undefined) await requireFuture(sql, terms.expiresAt);
  if (terms.filter !== undefined) await requireOwnFilter(sql, clientId, terms.filter);
}

/**
 * Whether an approval stays within the request: by its terms, or because it names items of the client that are
 * presently inside the requested categories or collection. They stay granted if they leave these later, because the
 * client named them.
 */
export async function isWithinRequest(
  sql: Sql,
  clientId: string | null,
  approved: GrantTerms,
  requested: GrantTerms,
): Promise<boolean> {
  if (isNarrower(approved, requested)) return true;
  const [{ filter }, { filter: around }] = [approved, requested];
  const chosenInside = filter.type === 'items' && (around.type === 'category' || around.type === 'collection');
  if (!chosenInside || !isNarrower({ ...approved, filter: around }, requested)) return false;
  return areInside(sql, clientId, filter.items, around);
}

/** The terms as recorded in events; unchanged ones are absent. */
export function recordedTerms({ scopes, filter, expiresAt }: Partial<GrantTerms>): Record<string, unknown> {
  return {
    ...(scopes === undefined ? {} : { scopes: scopesOf(scopes) }),
    ...(filter === undefined ? {} : { filter }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
}

/** Another client's items are treated as unknown. */
async function requireOwnFilter(sql: Sql, clientId: string | null, filter: AssetFilter): Promise<void> {
  const foreign = await firstForeign(sql, clientId, filter);
  if (foreign === null) return;
  const message =
    filter.type === 'category'
      ? `There is no category "${foreign}".`
      : `The client has no ${filter.type === 'items' ? 'item' : 'collection'} ${foreign}.`;
  refuseParameter('filter', message);
}

const OWN = (table: 'items' | 'collections') => `select from ${table} where client_id = $2`;

async function firstForeign(sql: Sql, clientId: string | null, filter: AssetFilter): Promise<string | null> {
  switch (filter.type) {
    case 'all':
      return null;
    case 'category':
      return firstMissing(sql, filter.categories, 'select from categories where code = named.name');
    case 'items':
      return firstMissing(sql, filter.items, `${OWN('items')} and registry_id = named.name`, clientId);
    case 'collection':
      return firstMissing(sql, [filter.collection], `${OWN('collections')} and id = named.name`, clientId);
    default:
      return filter satisfies never;
  }
}

async function areInside(sql: Sql, clientId: string | null, items: string[], filter: AssetFilter): Promise<boolean> {
  const bindings = new Bindings();
  const text = `select not exists (select from unnest(${bindings.add(items)}::text[]) as named (name)
    where not exists (select from items i where i.registry_id = named.name
      and i.client_id = ${bindings.add(clientId)} and ${insideFilter(filter, bindings)})) as inside`;
  return readValue<boolean>(sql, { text, values: bindings.values });
}

function firstMissing(sql: Sql, names: string[], match: string, ...values: (string | null)[]): Promise<string | null> {
  const text = `select named.name from unnest($1::text[]) as named (name)
    where not exists (${match}) limit 1`;
  return findValue(sql, { text, values: [names, ...values] });
}
