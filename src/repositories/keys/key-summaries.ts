// Repositories: a firm's key as a client may see it before granting anything to it, and the draft of a grant to it.
import type { AssetFilter } from '#core/asset-filter.ts';
import { refuse } from '#core/errors.ts';
import type { Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Tier } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';
import { LOG_POSITION } from '#database/snapshot.ts';
import { VIEW_CHANGED_AT } from '../admission/change-log.ts';
import { GRANT_ACTIVE, GRANT_STATUS, KEY_ACTIVE } from '../status-sql.ts';
import { KEY_COLUMNS } from './key-queries.ts';

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
  const [summary] = await sql.query<KeySummary>({
    text: `select k.id as "keyId", k.name, k.environment, k.scopes, f.id as "firmId", f.name as "firmName",
        (select g.id from grants g where g.lineage_id = k.lineage_id and g.client_id = u.id and ${GRANT_ACTIVE}) as "activeGrantId",
        (select g.id from grants g where g.lineage_id = k.lineage_id and g.client_id = u.id and g.status = 'pending'
          order by g.created_at, g.id limit 1) as "pendingGrantId"
      from users u join api_keys named on named.id = $2 and named.environment = u.environment
      join api_keys k on k.lineage_id = named.lineage_id and k.rotated_to is null join firms f on f.id = k.firm_id
      where u.id = $1 and u.role = 'client'
        and ${KEY_ACTIVE}`,
    values: [clientId, keyId],
  });
  return summary ?? refuse('resource_not_found', `There is no key ${keyId}.`);
}

/** The basis of a preview: a key, the client, and the grant from which the draft starts, if any. */
export interface Draft {
  key: { id: string; lineageId: string; firmId: string; environment: Environment; scopes: ScopeSet; tier: Tier };
  client: { id: string; reportingCurrency: string };
  grant: { id: string; status: string; scopes: ScopeSet; filter: AssetFilter; changedAt: string | null } | null;
  now: string;
  position: string;
}

type DraftRow = Omit<Draft, 'client'> & { reportingCurrency: string; changedAt: string | null };

const DRAFT = `json_build_object('id', k.id, 'lineageId', k."lineageId", 'firmId', k."firmId",
    'environment', k.environment, 'scopes', k.scopes, 'tier', k.tier) as key,
  u.reporting_currency as "reportingCurrency", now_ms() as now, ${LOG_POSITION} as position`;
const KEYS = `(select ${KEY_COLUMNS} from api_keys k join firms f on f.id = k.firm_id)`;

/** The client's own grant with the newest key of its lineage; null for an unknown grant, and for another client's. */
export async function draftFromGrant(sql: Sql, clientId: string, grantId: string): Promise<Draft | null> {
  const [row] = await sql.query<DraftRow>({
    text: `select ${DRAFT},
        json_build_object('id', g.id, 'scopes', g.scopes, 'filter', g.filter,
          'status', ${GRANT_STATUS}) as grant,
        ${VIEW_CHANGED_AT} as "changedAt"
      from grants g join users u on u.id = g.client_id
      join ${KEYS} k on k."lineageId" = g.lineage_id and k."rotatedTo" is null
      where g.id = $2 and g.client_id = $1`,
    values: [clientId, grantId],
  });
  return row === undefined ? null : toDraft(clientId, row);
}

/** A new grant to this key; null if the client could not give one. */
export async function draftForKey(sql: Sql, clientId: string, keyId: string): Promise<Draft | null> {
  const [row] = await sql.query<DraftRow>({
    text: `select ${DRAFT}, null as grant, null as "changedAt"
      from users u join ${KEYS} k on k.environment = u.environment
      where u.id = $1 and u.role = 'client' and k.id = $2 and k.status = 'active'`,
    values: [clientId, keyId],
  });
  return row === undefined ? null : toDraft(clientId, row);
}

function toDraft(clientId: string, { reportingCurrency, grant, changedAt, ...rest }: DraftRow): Draft {
  return { ...rest, client: { id: clientId, reportingCurrency }, grant: grant && { ...grant, changedAt } };
}
