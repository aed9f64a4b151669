// Gateway: whether a delta can be given, or the whole view has to be.
import type { PortfolioView } from '#core/principal.ts';
import { DAY_MS } from '#core/timestamps.ts';

/** Removals are kept a little longer than the 90 days they are promised for. */
export const REMOVALS_KEPT_DAYS = 91;
const PROMISED_DAYS = 90;

/** True where the view changed as a whole since, or `since` lies further back than removals are kept. */
export function isFullSync(view: PortfolioView, since: string): boolean {
  // Removals are forgotten by the database's clock, which the horizon was before; a gateway's may be far behind it.
  const today = Math.max(Date.now(), view.horizon === null ? 0 : Date.parse(view.horizon));
  return since <= view.changedAt || Date.parse(since) < today - PROMISED_DAYS * DAY_MS;
}
