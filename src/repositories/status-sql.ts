// Repositories: SQL of what follows from a row and the clock, for statements in which `g` is a grant, `k` a key and `f` its firm.

/** "expired" from the moment of expiry on, whether or not that has been recorded yet. */
export const GRANT_STATUS =
  "case when g.status = 'active' and g.expires_at <= now_ms() then 'expired' else g.status end";

/** The firm waits for an answer: also where the client has declined. */
export const GRANT_OPEN = "(g.status = 'pending' or g.untold)";

/** As the firm may know it: an answer that is not an approval tells nothing, not even that there is somebody to answer. */
export const GRANT_STATUS_FOR_FIRM = `case when ${GRANT_OPEN} then 'pending' else ${GRANT_STATUS} end`;

export const GRANT_ACTIVE = "(g.status = 'active' and (g.expires_at is null or g.expires_at > now_ms()))";

export const KEY_STATUS =
  "case when k.revoked_at is not null then 'revoked' when k.expires_at <= now_ms() then 'expired' else 'active' end";

export const KEY_ACTIVE = '(k.revoked_at is null and (k.expires_at is null or k.expires_at > now_ms()))';

/** The tier in force: the override, else Sandbox for a sandbox key, else the firm's. */
export const KEY_TIER = "coalesce(k.tier_override, case k.environment when 'sandbox' then 'sandbox' else f.tier end)";

const lastSaid = (of: string) => `(select s.shadowed from limit_shadows s where ${of} order by s.id desc limit 1)`;

/** What puts the limit of a key in shadow mode: `key` where it was said of the key and its rotations, else `tier`; null for neither. */
export const KEY_SHADOW = `case when ${lastSaid('s.lineage_id = k.lineage_id')} then 'key'
  when ${lastSaid(`s.tier = ${KEY_TIER}`)} then 'tier' end`;
