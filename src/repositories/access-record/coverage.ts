// Repositories: whether a grant covered an item at the time of a call, for calls whose items are not recorded.
import type { AssetFilter } from '#core/asset-filter.ts';
import { DAY_MS } from '#core/timestamps.ts';
import type { Sql } from '#database/database.ts';
import { readRow } from '#database/rows.ts';
import { REMOVALS_PROMISED_DAYS } from '../maintenance.ts';
import { GRANT_ENDED_AT } from '../status-sql.ts';

/** By how much the clocks of gateways and the database may differ. */
const LEEWAY_MS = 60_000;
/**
 * By how much a call may be later than the recorded end of a grant or an item that it saw. The end is the time of a
 * statement, and others see it when its transaction commits; a transaction such as an import may take hours.
 */
const COMMIT_LEEWAY_MS = DAY_MS;

/** Whether the item may have been in the response to a call of this key at this time (RFC 3339). */
export type Covered = (call: { keyId: string; at: string }) => boolean;

interface Span {
  /** Unix milliseconds; null for an open end. */
  from: number | null;
  until: number | null;
}

interface GrantCoverage extends Span {
  keyIds: string[];
  filter: AssetFilter;
  /** Filters that the grant was given, in order, with the time of each. */
  given: { at: number; filter: AssetFilter }[];
}

interface ItemHistory {
  /** Unix milliseconds; null if the item was not deleted. */
  until: number | null;
  /** Categories that the item is known to have had. */
  categories: string[];
  /** From when on, in Unix milliseconds, it is certain to have had no others. */
  categoriesKnownFrom: number;
}

/**
 * Uses the events of the client's grants and the recorded history of the item. Anything that is no longer recorded
 * counts as covered: the item's former collections, its categories before removals were kept, and deleted grants. So does
 * any time before the deletion: the creation time is the platform's, and may be later than the first responses.
 */
export async function readCoverage(sql: Sql, clientId: string, registryId: string): Promise<Covered> {
  const [grants, item] = await Promise.all([readGrants(sql, clientId), readItem(sql, clientId, registryId)]);
  return ({ keyId, at }) => {
    const instant = Date.parse(at);
    if (!isValidAt({ from: null, until: item.until }, instant, COMMIT_LEEWAY_MS)) return false;
    const ofKey = grants.filter(({ keyIds }) => keyIds.includes(keyId));
    const filters = ofKey
      .filter((grant) => isValidAt(grant, instant, COMMIT_LEEWAY_MS))
      .flatMap((grant) => filtersAt(grant, instant));
    return ofKey.length === 0 || filters.some((filter) => mayInclude(filter, registryId, item, instant));
  };
}

const isValidAt = ({ from, until }: Span, instant: number, untilLeeway = LEEWAY_MS): boolean =>
  (from === null || from <= instant + LEEWAY_MS) && (until === null || until >= instant - untilLeeway);

/** Filters that were in force at the instant, within the leeway. */
function filtersAt({ filter, given }: GrantCoverage, instant: number): AssetFilter[] {
  if (given.length === 0) return [filter];
  return given
    .filter((_, nth) =>
      isValidAt({ from: nth === 0 ? null : (given[nth]?.at ?? null), until: given[nth + 1]?.at ?? null }, instant),
    )
    .map((each) => each.filter);
}

function mayInclude(
  filter: AssetFilter,
  registryId: string,
  { categories, categoriesKnownFrom }: ItemHistory,
  instant: number,
): boolean {
  switch (filter.type) {
    case 'all':
    case 'collection':
      return true;
    case 'category':
      return instant < categoriesKnownFrom || filter.categories.some((category) => categories.includes(category));
    case 'items':
      return filter.items.includes(registryId);
    default:
      return filter satisfies never;
  }
}

const unixMs = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

function readGrants(sql: Sql, clientId: string): Promise<GrantCoverage[]> {
  const text = `select ${unixMs('g.activated_at')} as "from", ${unixMs(GRANT_ENDED_AT)} as until, g.filter,
      array(select k.id from api_keys k where k.lineage_id = g.lineage_id) as "keyIds",
      (select coalesce(json_agg(json_build_object('at', ${unixMs('e.at')}, 'filter', e.details -> 'filter') order by e.at, e.id), '[]')
        from grant_events e where e.grant_id = g.id and e.details ? 'filter') as given
    from grants g where g.client_id = $1 and g.activated_at is not null`;
  return sql.query<GrantCoverage>({ text, values: [clientId] });
}

function readItem(sql: Sql, clientId: string, registryId: string): Promise<ItemHistory> {
  const text = `select ${unixMs('d.deleted_at')} as until,
      ${unixMs(`now() - interval '${REMOVALS_PROMISED_DAYS} days'`)} as "categoriesKnownFrom",
      array(select category from items where registry_id = $2 and client_id = $1 union select split_part($2, '-', 2)
        union select r.category from removals r where r.client_id = $1 and r.registry_id = $2 and r.category is not null) as categories
    from (values (1)) one left join deleted_items d on d.registry_id = $2 and d.client_id = $1`;
  return readRow(sql, { text, values: [clientId, registryId] });
}
