// Repositories: keys with their limits, for operations.
import type { Sql } from '#database/database.ts';
import { findRow } from '#database/rows.ts';
import { namedOperator } from '../accounts/actor-names.ts';
import { changesWithEnds, EVENT_OCCASION, type LimitChange } from '../limit-changes.ts';
import { KEY_ACTIVE } from '../status-sql.ts';
import { type ApiKey, isCopyOf, KEY_COLUMNS } from './key-queries.ts';

export interface LimitedKey extends ApiKey {
  firmName: string;
}

const KEYS = `select ${KEY_COLUMNS}, f.name as "firmName" from api_keys k join firms f on f.id = k.firm_id`;

/** All usable keys, oldest first. */
export function listLimitedKeys(sql: Sql): Promise<LimitedKey[]> {
  return sql.query<LimitedKey>({ text: `${KEYS} where ${KEY_ACTIVE} order by k.created_at, k.id` });
}

export function findLimitedKey(sql: Sql, keyId: string): Promise<LimitedKey | null> {
  return findRow(sql, { text: `${KEYS} where k.id = $1`, values: [keyId] });
}

export interface TierChange extends LimitChange {
  /** Null for the firm's tier, or, if an override has ended, for the one set without an end. */
  tier: string | null;
}

/** Changes of the tier within the keys' lineages, newest first, by the given keys. */
export function tierChanges(sql: Sql, keyIds: readonly string[]): Promise<Map<string, TierChange[]>> {
  const changes = `select t.id, k.id as "of", t.at, ${namedOperator('t.actor')} as actor, t.details ->> 'tier' as value,
      ${EVENT_OCCASION}
    from api_keys k join api_keys c on c.lineage_id = k.lineage_id
    join key_events t on t.key_id = c.id and t.action = 'tier' join firm_events e on ${isCopyOf('e', 't.id')}
    where k.id = any($1)`;
  return changesWithEnds(sql, { changes, value: 'tier' }, [keyIds]);
}
