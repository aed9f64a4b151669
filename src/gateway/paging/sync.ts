// Gateway: whether a delta is possible, or the whole view must be sent.
import type { PortfolioView } from '#core/principal.ts';
import { DAY_MS } from '#core/timestamps.ts';
import { REMOVALS_PROMISED_DAYS } from '#repositories/maintenance.ts';

/** True where the view changed as a whole since then, or where `since` is older than the removals kept. */
export function isFullSync(view: PortfolioView, since: string): boolean {
  // Removals are deleted by the database's clock, to which the horizon belongs. A gateway's clock may be far behind it.
  const today = Math.max(Date.now(), view.horizon === null ? 0 : Date.parse(view.horizon));
  return since <= view.changedAt || Date.parse(since) < today - REMOVALS_PROMISED_DAYS * DAY_MS;
}
