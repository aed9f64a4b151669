// Repositories: grants as they are read, with the state that time has brought about.
import type { AssetFilter } from '#core/asset-filter.ts';
import type { GrantState, GrantStep, GrantTerms } from '#core/grant-lifecycle.ts';
import type { Sql } from '#database/database.ts';

export interface Grant extends GrantTerms {
  id: string;
  /** The first key of the chain of rotations that the grant belongs to. */
  lineageId: string;
  /** The newest key of that chain. */
  keyId: string;
  firmId: string;
  clientId: string;
  /** `expired` from the moment of expiry on, whether or not that has been recorded yet. */
  status: GrantState;
  filter: AssetFilter;
  purpose: string | null;
  createdAt: string;
  activatedAt: string | null;
  endedAt: string | null;
  /** When activation, scopes or filter last changed what the grant shows. */
  viewChangedAt: string | null;
  updatedAt: string;
}

export interface GrantEvent {
  at: string;
  /** `kind:id`. */
  actor: string;
  action: GrantStep;
  details: Record<string, unknown>;
}

/** SQL of the state that time has brought about, of the grant `g`. */
export const GRANT_STATE =
  "case when g.status = 'active' and g.expires_at <= now_ms() then 'expired' else g.status end";

/** For a statement in which `g` is the grant's row and `k` the newest key's of its chain (see GRANT_KEY). */
export const GRANT_COLUMNS = `g.id, g.lineage_id as "lineageId", k.id as "keyId", k.firm_id as "firmId",
  g.client_id as "clientId", g.scopes, g.filter, g.purpose,
  ${GRANT_STATE} as status,
  g.created_at as "createdAt", g.activated_at as "activatedAt", g.expires_at as "expiresAt",
  g.ended_at as "endedAt", g.view_changed_at as "viewChangedAt", g.updated_at as "updatedAt"`;

/** Every chain has exactly one key that was not rotated. */
export const GRANT_KEY = 'join api_keys k on k.lineage_id = g.lineage_id and k.rotated_to is null';

export async function findGrant(sql: Sql, id: string): Promise<Grant | null> {
  const text = `select ${GRANT_COLUMNS} from grants g ${GRANT_KEY} where g.id = $1`;
  const [grant] = await sql.query<Grant>({ text, values: [id] });
  return grant ?? null;
}

export interface GrantSelection {
  firmId?: string | undefined;
  clientId?: string | undefined;
  /** Any key of the chain. */
  keyId?: string | undefined;
}

/** Newest first. */
export async function listGrants(sql: Sql, { firmId, clientId, keyId }: GrantSelection = {}): Promise<Grant[]> {
  return sql.query<Grant>({
    text: `select ${GRANT_COLUMNS} from grants g ${GRANT_KEY}
      where ($1::text is null or k.firm_id = $1) and ($2::text is null or g.client_id = $2)
        and ($3::text is null or g.lineage_id = (select lineage_id from api_keys where id = $3))
      order by g.created_at desc, g.id desc`,
    values: [firmId ?? null, clientId ?? null, keyId ?? null],
  });
}

/** Every step of the grant's life, oldest first. */
export async function listGrantEvents(sql: Sql, grantId: string): Promise<GrantEvent[]> {
  const text = 'select at, actor, action, details from grant_events where grant_id = $1 order by id';
  return sql.query<GrantEvent>({ text, values: [grantId] });
}
