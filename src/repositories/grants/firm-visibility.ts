// Repositories: what a firm may know of a client, so that responses to its requests reveal nothing else.
import { refuseParameter } from '#core/errors.ts';
import type { GrantTerms } from '#core/grant-lifecycle.ts';
import { type Scope, scopeSet } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { GRANT_ACTIVE, GRANT_KEY, KEY_ACTIVE, PLAN_ACTIVE } from '../status-sql.ts';
import { requireTerms } from './grant-terms.ts';

/**
 * Checks that a firm may request these terms. It may name only items and collections that a grant already shows to it
 * through the API: a response about any other would reveal whether the client has it, and whether the client exists.
 * Throws Refusal `invalid_parameter`.
 */
export async function requireRequestableTerms(
  sql: Sql,
  { firmId, clientId }: { firmId: string; clientId: string | null },
  { filter, ...terms }: GrantTerms,
): Promise<void> {
  await requireTerms(sql, null, filter.type === 'category' ? { ...terms, filter } : terms);
  if (filter.type === 'all' || filter.type === 'category') return;
  const isItems = filter.type === 'items';
  const names = isItems ? filter.items : [filter.collection];
  const match = isItems
    ? 'i.registry_id = named.name'
    : 'exists (select from item_collections n where n.item_id = i.id and n.collection_id = named.name)';
  const invisible = await firstInvisible(sql, { firmId, clientId }, names, isItems ? 'registry' : 'detail', match);
  if (invisible === undefined) return;
  const message = `A request can name only ${isItems ? 'items' : 'a collection'} that a grant of the client already shows the firm: ${invisible} is not shown.`;
  refuseParameter('filter', message);
}

async function firstInvisible(
  sql: Sql,
  { firmId, clientId }: { firmId: string; clientId: string | null },
  names: string[],
  scope: Scope,
  match: string,
): Promise<string | undefined> {
  const [row] = await sql.query<{ name: string }>({
    text: `with visibility as (
        select g.filter from grants g ${GRANT_KEY} join firms f on f.id = k.firm_id
        where g.client_id = $2 and k.firm_id = $1 and ${GRANT_ACTIVE} and ${KEY_ACTIVE} and ${PLAN_ACTIVE}
          and (g.scopes & k.scopes & $4) <> 0)
      select named.name from unnest($3::text[]) as named (name)
      where not exists (
        select from items i join visibility v on ${INSIDE} where i.client_id = $2 and ${match})
      limit 1`,
    values: [firmId, clientId, names, scopeSet([scope])],
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
