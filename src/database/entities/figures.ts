// Database: figures of portfolios, maintained by triggers.
import { entity, p } from './entity.ts';
import { P1, P2 } from './tier.ts';

export const PortfolioTotal = entity('PortfolioTotal', 'portfolio_totals', {
  id: P2(p.bigint()).primary().autoincrement(),
  clientId: P1(p.text()),
  category: P1(p.text()),
  items: P1(p.bigint()),
  value: P1(p.decimal()),
});

export const ItemCompleteness = entity('ItemCompleteness', 'item_completeness', {
  itemId: P1(p.text()).primary(),
  clientId: P1(p.text()),
  category: P1(p.text()),
  score: P1(p.smallint()),
  until: P1(p.date()).nullable(),
});
