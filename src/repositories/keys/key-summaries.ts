// Repositories: a firm's key as a client may see it before granting anything to it.
import { refuse } from '#core/errors.ts';
import type { Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { GRANT_ACTIVE, KEY_ACTIVE } from '../status-sql.ts';

export interface KeySummary {
  keyId: string;
  name: string;
  environment: Environment;
  scopes: ScopeSet;
  firmId: string;
  firmName: string;
  activeGrantId: string | null;
  pendingGrantId: string | null;
}

/**
 * Summary of the newest key of the lineage, so that key ids which a firm has published stay valid. A key of the other
 * environment, or one that is no longer usable, is treated as unknown.
 */
export async function requireKeySummary(sql: Sql, clientId: string, keyId: string): Promise<KeySummary> {
  const text = `select k.id as "keyId", k.name, k.environment, k.scopes, f.id as "firmId", f.name as "firmName",
      (select g.id from grants g where g.lineage_id = k.lineage_id and g.client_id = u.id and ${GRANT_ACTIVE}) as "activeGrantId",
      (select g.id from grants g where g.lineage_id = k.lineage_id and g.client_id = u.id and g.status = 'pending'
        order by g.created_at, g.id limit 1) as "pendingGrantId"
    from users u join api_keys named on named.id = $2 and named.environment = u.environment
    join api_keys k on k.lineage_id = named.lineage_id and k.rotated_to is null join firms f on f.id = k.firm_id
    where u.id = $1 and u.role = 'client' and ${KEY_ACTIVE}`;
  const [summary] = await sql.query<KeySummary>({ text, values: [clientId, keyId] });
  return summary ?? refuse('resource_not_found', `There is no key ${keyId}.`);
}
