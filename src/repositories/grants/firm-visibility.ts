// Repositories: what of a client a firm may know, so that nothing else is told by asking for it.
import type { AssetFilter } from '#core/asset-filter.ts';
import { Refusal } from '#core/errors.ts';
import { type Scope, scopeSet } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { FIRM_OF } from '../access-record/activity.ts';
import { GRANT_ACTIVE } from '../status-sql.ts';

/** The client of the key's environment with this id or e-mail address. Throws Refusal `resource_not_found`. */
export async function findClient(sql: Sql, environment: string, client: string): Promise<string> {
  const [user] = await sql.query<{ id: string }>({
    text: `select id from users
      where role = 'client' and environment = $1 and (id = $2 or lower(email) = lower($2))`,
    values: [environment, client],
  });
  if (user !== undefined) return user.id;
  const message = `There is no client "${client}" in the key's environment (${environment}).`;
  throw new Refusal('resource_not_found', { message, param: 'client' });
}

/**
 * A firm may ask for items and collections by name only where a grant shows them to it already: an answer about any
 * other would tell whether the client has it. Throws Refusal `invalid_parameter` in the words for unknown ones.
 */
export async function requireVisibleToFirm(
  sql: Sql,
  memberId: string,
  clientId: string,
  filter: AssetFilter,
): Promise<void> {
  if (filter.type === 'all' || filter.type === 'category') return;
  const invisible =
    filter.type === 'items'
      ? await firstInvisible(sql, memberId, clientId, filter.items, 'registry', 'i.registry_id = named.name')
      : await firstInvisible(
          sql,
          ...[memberId, clientId, [filter.collection]],
          'detail',
          'exists (select from item_collections n where n.item_id = i.id and n.collection_id = named.name)',
        );
  if (invisible === undefined) return;
  const message = `The client has no ${filter.type === 'items' ? 'item' : 'collection'} ${invisible}.`;
  throw new Refusal('invalid_parameter', { param: 'filter', message });
}

async function firstInvisible(
  sql: Sql,
  memberId: string,
  clientId: string,
  names: string[],
  scope: Scope,
  match: string,
): Promise<string | undefined> {
  const [row] = await sql.query<{ name: string }>({
    text: `with visibility as (
        select g.filter from grants g join api_keys k on k.lineage_id = g.lineage_id and k.rotated_to is null
        where g.client_id = $2 and k.firm_id = ${FIRM_OF('$1')} and ${GRANT_ACTIVE}
          and (g.scopes & k.scopes & $4) <> 0)
      select named.name from unnest($3::text[]) as named (name)
      where not exists (
        select from items i join visibility v on ${INSIDE} where i.client_id = $2 and ${match})
      limit 1`,
    values: [memberId, clientId, names, scopeSet([scope])],
  });
  return row?.name;
}

/** Whether the item `i` is inside the filter of `v`. */
const INSIDE = `case v.filter ->> 'type'
  when 'all' then true
  when 'category' then v.filter -> 'categories' ? i.category
  when 'items' then v.filter -> 'items' ? i.registry_id
  when 'collection' then exists (
    select from item_collections m where m.item_id = i.id and m.collection_id = v.filter ->> 'collection')
  else false end`;
