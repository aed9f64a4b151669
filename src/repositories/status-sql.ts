// Repositories: SQL of what follows from a row and the clock, for statements in which `g` is a grant, `k` a key and `f` its firm; and
// how a grant finds its key.

/** For a statement in which `m` is a user: a firm's member who was not removed. */
export const IS_MEMBER = "(m.role = 'firm_member' and m.removed_at is null)";

/** "expired" from the moment of expiry on, whether or not that has been recorded yet. */
export const GRANT_STATUS =
  "case when g.status = 'active' and g.expires_at <= now_ms() then 'expired' else g.status end";

/** As soon as it has ended, whether or not that has been recorded yet. */
export const GRANT_ENDED_AT =
  "case when g.status = 'active' and g.expires_at <= now_ms() then g.expires_at else g.ended_at end";

/** The firm waits for an answer: also where the client has declined. */
export const GRANT_OPEN = "(g.status = 'pending' or g.untold)";

/** As the firm may know it: an answer that is not an approval tells nothing, not even that there is somebody to answer. */
export const GRANT_STATUS_FOR_FIRM = `case when ${GRANT_OPEN} then 'pending' else ${GRANT_STATUS} end`;

/** Joins the newest key of the chain that a grant belongs to: every chain has exactly one that was not rotated. */
export const GRANT_KEY = 'join api_keys k on k.lineage_id = g.lineage_id and k.rotated_to is null';

export const GRANT_ACTIVE = "(g.status = 'active' and (g.expires_at is null or g.expires_at > now_ms()))";

/** Whether the firm may use keys. */
export const PLAN_ACTIVE = "(f.plan = 'enterprise' and f.plan_active)";

export const KEY_STATUS =
  "case when k.revoked_at is not null then 'revoked' when k.expires_at <= now_ms() then 'expired' else 'active' end";

export const KEY_ACTIVE = '(k.revoked_at is null and (k.expires_at is null or k.expires_at > now_ms()))';

const BRIEF = 'select * from brief_limits b where';
/** Of an override that ends: until then. The last one said counts, and the index on `of` finds it. */
const brief = (what: string, of: string) =>
  `(select b.${what} from (${BRIEF} ${of} order by b.id desc limit 1) b where b.ends_at > now_ms())`;

const ofKey = (what: string) => brief(what, 'b.lineage_id = k.lineage_id');
const ofFirm = (what: string) => brief(what, 'b.firm_id = f.id');

/** The override of a key's tier that is in force; null for none. */
export const KEY_TIER_OVERRIDE = `coalesce(${ofKey('tier')}, k.tier_override)`;
/** When it ends by itself. */
export const KEY_TIER_ENDS = ofKey('ends_at');

/** The tier in force: the override, else Sandbox for a sandbox key, else the firm's. */
export const KEY_TIER = `coalesce(${KEY_TIER_OVERRIDE}, case k.environment when 'sandbox' then 'sandbox' else f.tier end)`;

/** The limit of all keys of a firm together that is in force; null for none. */
export const FIRM_LIMIT = `coalesce(${ofFirm('per_minute')}, f.request_limit)`;
/** When it ends by itself, and what stands holds again. */
export const FIRM_LIMIT_ENDS = ofFirm('ends_at');

/** What was said last of those that have not ended. */
const lastSaid = (of: string, what = 'shadowed') =>
  `(select s.${what} from limit_shadows s
    where ${of} and (s.ends_at is null or s.ends_at > now_ms()) order by s.id desc limit 1)`;

/** What puts the limit of a key in shadow mode: `key` where it was said of the key and its rotations, else `tier`; null for neither. */
export const KEY_SHADOW = `case when ${lastSaid('s.lineage_id = k.lineage_id')} then 'key'
  when ${lastSaid(`s.tier = ${KEY_TIER}`)} then 'tier' end`;

/** The next moment at which the clock changes one of the limits above. */
export const LIMITS_CHANGE = `least(${KEY_TIER_ENDS}, ${FIRM_LIMIT_ENDS},
  ${lastSaid('s.lineage_id = k.lineage_id', 'ends_at')}, ${lastSaid(`s.tier = ${KEY_TIER}`, 'ends_at')})`;
