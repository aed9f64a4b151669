// Repositories: API keys as they are read: never the hash, always the tier and the state that follow from the columns.
import type { Environment } from '#core/principal.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Tier } from '#core/tiers.ts';
import type { Sql } from '#database/database.ts';

export type KeyStatus = 'active' | 'expired' | 'revoked';

export interface ApiKey {
  id: string;
  /** The first key of the chain of rotations: grants and the rate limit belong to it. */
  lineageId: string;
  firmId: string;
  name: string;
  environment: Environment;
  scopes: ScopeSet;
  /** In force: the override, else Sandbox for a sandbox key, else the firm's. */
  tier: Tier;
  tierOverride: Tier | null;
  prefix: string;
  lastFour: string;
  status: KeyStatus;
  createdBy: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  /** The successor; the key itself works on until it expires. */
  rotatedTo: string | null;
  revokedAt: string | null;
  revokedBy: string | null;
}

export interface KeyEvent {
  keyId: string;
  at: string;
  /** `kind:id`. */
  actor: string;
  action: 'create' | 'rotate' | 'revoke' | 'tier';
  details: Record<string, unknown>;
}

/** SQL of the state that time has brought about, of the key `k`. */
export const KEY_STATE =
  "case when k.revoked_at is not null then 'revoked' when k.expires_at <= now_ms() then 'expired' else 'active' end";

/** For a statement in which `k` is the key's row and `f` its firm's. */
export const KEY_COLUMNS = `k.id, k.lineage_id as "lineageId", k.firm_id as "firmId", k.name, k.environment, k.scopes,
  coalesce(k.tier_override, case k.environment when 'sandbox' then 'sandbox' else f.tier end) as tier,
  k.tier_override as "tierOverride", k.secret_prefix as prefix, k.secret_last_four as "lastFour",
  ${KEY_STATE} as status,
  k.created_by as "createdBy", k.created_at as "createdAt", k.expires_at as "expiresAt",
  k.last_used_at as "lastUsedAt", k.rotated_to as "rotatedTo", k.revoked_at as "revokedAt",
  k.revoked_by as "revokedBy"`;

export async function findKey(sql: Sql, id: string): Promise<ApiKey | null> {
  const text = `select ${KEY_COLUMNS} from api_keys k join firms f on f.id = k.firm_id where k.id = $1`;
  const [key] = await sql.query<ApiKey>({ text, values: [id] });
  return key ?? null;
}

/** Oldest first; of one firm, or of all. */
export async function listKeys(sql: Sql, { firmId }: { firmId?: string | undefined } = {}): Promise<ApiKey[]> {
  return sql.query<ApiKey>({
    text: `select ${KEY_COLUMNS} from api_keys k join firms f on f.id = k.firm_id
      where $1::text is null or k.firm_id = $1 order by k.created_at, k.id`,
    values: [firmId ?? null],
  });
}

/** Everything that happened to the key and to those it came from or became, oldest first. */
export async function listKeyEvents(sql: Sql, keyId: string): Promise<KeyEvent[]> {
  return sql.query<KeyEvent>({
    text: `select e.key_id as "keyId", e.at, e.actor, e.action, e.details
      from key_events e join api_keys k on k.id = e.key_id
      where k.lineage_id = (select lineage_id from api_keys where id = $1) order by e.id`,
    values: [keyId],
  });
}
