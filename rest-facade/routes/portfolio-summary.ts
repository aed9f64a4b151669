// REST facade: the portfolio summary.
import { clientId } from '../parameters.ts';
import type { Route } from './route.ts';

export const portfolioRoutes: Route[] = [
  {
    operation: 'GetPortfolioSummary',
    document: 'portfolio-summary',
    path: '/api/v1/portfolio/summary',
    summary: 'Get the portfolio summary',
    description: 'The aggregated view of the portfolio: only the items that the grant covers count.',
    parameters: [clientId],
    envelope: 'data',
    paged: false,
    stamp: 'now',
  },
];
