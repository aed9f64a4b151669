// REST facade: the portfolio summary.
import { AS_OF, CLIENT_ID, usd } from '../examples.ts';
import { clientId } from '../parameters.ts';
import type { Route } from './route.ts';

const summary = {
  client_id: CLIENT_ID,
  item_count: 14,
  categories: [
    { category: 'AR', name: 'Art', item_count: 5, total_value: usd('842000.00') },
    { category: 'WT', name: 'Watches', item_count: 9, total_value: usd('391500.00') },
  ],
  total_value: usd('1233500.00'),
  documentation_completeness: { score: 72, complete_items: 6 },
  as_of: AS_OF,
};

export const portfolioRoutes: Route[] = [
  {
    operation: 'GetPortfolioSummary',
    document: 'portfolio-summary',
    path: '/api/v1/portfolio/summary',
    tag: 'Portfolio',
    summary: 'Get the portfolio summary',
    description: 'The aggregated view of the portfolio: only the items that the grant covers count.',
    parameters: [clientId],
    envelope: 'data',
    paged: false,
    stamp: 'now',
    examples: [
      { name: 'everything', summary: 'The scopes registry, valuation and documentation', value: { data: summary } },
    ],
  },
];
