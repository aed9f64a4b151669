// Repositories: what a firm may know of a client, so that responses to its requests reveal nothing else.
import type { AssetFilter } from '#core/asset-filter.ts';
import { refuseParameter } from '#core/errors.ts';
import type { GrantTerms } from '#core/grant-lifecycle.ts';
import { type Scope, scopeSet } from '#core/scopes.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { findValue } from '#database/rows.ts';
import { insideFilter } from '../assets/asset-sql.ts';
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
  if (invisible === null) return;
  const message = `A request can name only ${isItems ? 'items' : 'a collection'} that a grant of the client already shows the firm: ${invisible} is not shown.`;
  refuseParameter('filter', message);
}

async function firstInvisible(
  sql: Sql,
  { firmId, clientId }: { firmId: string; clientId: string | null },
  names: string[],
  scope: Scope,
  match: string,
): Promise<string | null> {
  const visible = await sql.query<{ filter: AssetFilter }>({
    text: `select distinct g.filter from grants g ${GRANT_KEY} join firms f on f.id = k.firm_id
      where g.client_id = $2 and k.firm_id = $1 and ${GRANT_ACTIVE} and ${KEY_ACTIVE} and ${PLAN_ACTIVE}
        and (g.scopes & k.scopes & $3) <> 0`,
    values: [firmId, clientId, scopeSet([scope])],
  });
  const bindings = new Bindings();
  const inside = ['false', ...visible.map((grant) => insideFilter(grant.filter, bindings))];
  return findValue<string>(sql, {
    text: `select named.name from unnest(${bindings.add(names)}::text[]) as named (name)
      where not exists (
        select from items i where i.client_id = ${bindings.add(clientId)} and ${match} and (${inside.join(' or ')}))
      limit 1`,
    values: bindings.values,
  });
}
