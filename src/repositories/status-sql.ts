// Repositories: SQL for states that depend on the clock, for statements in which `g` is a grant, `k` a key and `f` its
// firm; and the join from a grant to its key.

/** For a statement in which `m` is a user: whether it is a firm's member who was not removed. */
export const IS_MEMBER = "(m.role = 'firm_member' and m.removed_at is null)";

/** SQL of the address that replaces an erased person's, in lower case; unique, because it contains the SQL `id`. */
export const erasedEmail = (id: string): string => `(lower(${id}) || '@erased.invalid')`;

/** For a statement in which `u` is a user: not erased, nor a deleted test client. */
export const IS_PRESENT = `(u.email <> ${erasedEmail('u.id')} and u.deleted_at is null)`;

/** "expired" as soon as the expiry has passed, even if it is not recorded yet. */
export const GRANT_STATUS =
  "case when g.status = 'active' and g.expires_at <= now_ms() then 'expired' else g.status end";

/** Includes an expiry that has passed, even if it is not recorded yet. */
export const GRANT_ENDED_AT =
  "case when g.status = 'active' and g.expires_at <= now_ms() then g.expires_at else g.ended_at end";

/** Whether the firm sees the request as pending, which it does even after the client has declined. */
export const GRANT_OPEN = "(g.status = 'pending' or g.untold)";

/**
 * The status as the firm may know it. Only an approval is visible; any other response would reveal that the client
 * exists.
 */
export const GRANT_STATUS_FOR_FIRM = `case when ${GRANT_OPEN} then 'pending' else ${GRANT_STATUS} end`;

/** Joins the newest key of the grant's lineage: every lineage has exactly one key that was not rotated. */
export const GRANT_KEY = 'join api_keys k on k.lineage_id = g.lineage_id and k.rotated_to is null';

export const GRANT_ACTIVE = "(g.status = 'active' and (g.expires_at is null or g.expires_at > now_ms()))";

/** Whether the firm may use keys. */
export const PLAN_ACTIVE = "(f.plan = 'enterprise' and f.plan_active)";

export const KEY_STATUS =
  "case when k.revoked_at is not null then 'revoked' when k.expires_at <= now_ms() then 'expired' else 'active' end";

export const KEY_ACTIVE = '(k.revoked_at is null and (k.expires_at is null or k.expires_at > now_ms()))';

/** Value of an override with an end, until that end. The newest row counts; the index on `of` finds it. */
const brief = (what: string, of: string) =>
  `(select b.${what} from (select * from brief_limits b where ${of} order by b.id desc limit 1) b where b.ends_at > now_ms())`;

const ofKey = (what: string) => brief(what, 'b.lineage_id = k.lineage_id');
const ofFirm = (what: string) => brief(what, 'b.firm_id = f.id');

/** The effective override of a key's tier; null for none. */
export const KEY_TIER_OVERRIDE = `coalesce(${ofKey('tier')}, k.tier_override)`;
/** When the override ends by itself. */
export const KEY_TIER_ENDS = ofKey('ends_at');

/** The effective tier: the override, else Sandbox for a sandbox key, else the firm's. */
export const KEY_TIER = `coalesce(${KEY_TIER_OVERRIDE}, case k.environment when 'sandbox' then 'sandbox' else f.tier end)`;

/** The effective limit of all keys of a firm together; null for none. */
export const FIRM_LIMIT = `coalesce(${ofFirm('per_minute')}, f.request_limit)`;
/** When an override of that limit ends by itself. */
export const FIRM_LIMIT_ENDS = ofFirm('ends_at');

/** The newest entry that has not ended. */
const latestShadow = (of: string, what = 'shadowed') =>
  `(select s.${what} from limit_shadows s
    where ${of} and (s.ends_at is null or s.ends_at > now_ms()) order by s.id desc limit 1)`;

/**
 * Why the limit of a key is in shadow mode: `key` if set for the key and its rotations, else `tier`; null if it is not.
 */
export const KEY_SHADOW = `case when ${latestShadow('s.lineage_id = k.lineage_id')} then 'key'
  when ${latestShadow(`s.tier = ${KEY_TIER}`)} then 'tier' end`;

/** The next moment at which one of the limits above changes by itself. */
export const LIMITS_CHANGE = `least(${KEY_TIER_ENDS}, ${FIRM_LIMIT_ENDS},
  ${latestShadow('s.lineage_id = k.lineage_id', 'ends_at')}, ${latestShadow(`s.tier = ${KEY_TIER}`, 'ends_at')})`;
