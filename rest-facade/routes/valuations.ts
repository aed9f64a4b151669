// REST facade: valuations.
import { readValuationPage, type ValuationListArguments } from '#gateway/paging/paging.ts';
import { onePage, valuation } from '../examples.ts';
import { clientId, cursor, page, pageSize, since, source } from '../parameters.ts';
import type { Route } from './route.ts';

export const valuationRoutes: Route[] = [
  {
    operation: 'ListValuations',
    document: 'valuations',
    path: '/api/v1/assets/{registry_id}/valuations',
    tag: 'Valuations',
    summary: 'List valuations of an asset',
    description: 'The valuation history of an asset, newest first.',
    parameters: [clientId, source, since, page, pageSize, cursor],
    scope: 'valuation',
    envelope: 'none',
    paged: true,
    stamp: 'none',
    examples: [{ name: 'page', summary: 'One page', value: { data: [valuation], pagination: onePage } }],
    check: (variables, cursors) => {
      if (variables.after !== null) readValuationPage(variables as unknown as ValuationListArguments, cursors);
    },
  },
];
