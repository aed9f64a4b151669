// REST facade: valuations.
import { readValuationPage, type ValuationListArguments } from '#gateway/paging/paging.ts';
import { clientId, cursor, page, pageSize, since, source } from '../parameters.ts';
import type { Route } from './route.ts';

export const valuationRoutes: Route[] = [
  {
    operation: 'ListValuations',
    document: 'valuations',
    path: '/api/v1/assets/{registry_id}/valuations',
    summary: 'List valuations of an asset',
    description: 'The valuation history of an asset, newest first.',
    parameters: [clientId, source, since, page, pageSize, cursor],
    scope: 'valuation',
    envelope: 'none',
    paged: true,
    stamp: 'none',
    check: (variables, cursors) => {
      if (variables.after !== null) readValuationPage(variables as unknown as ValuationListArguments, cursors);
    },
  },
];
