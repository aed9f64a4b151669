// Gateway: whether a delta is possible, or the whole view must be sent.
import type { PortfolioView } from '#core/principal.ts';
import { DAY_MS } from '#core/timestamps.ts';

/** Slightly longer than the 90 days promised to partners. */
export const REMOVALS_KEPT_DAYS = 91;
const PROMISED_DAYS = 90;

/** True where the view changed as a whole since then, or where `since` is older than the removals kept. */
export function isFullSync(view: PortfolioView, since: string): boolean {
  // Removals are deleted by the database's clock, to which the horizon belongs. A gateway's clock may be far behind it.
  const today = Math.max(Date.now(), view.horizon === null ? 0 : Date.parse(view.horizon));
  return since <= view.changedAt || Date.parse(since) < today - PROMISED_DAYS * DAY_MS;
}
