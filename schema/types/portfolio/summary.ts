// Schema: the summary of a portfolio.

import { requireView } from '#gateway/execution/context.ts';
import {
  type CategorySummary as CategorySummaryShape,
  type PortfolioSummary as SummaryShape,
  summarise,
} from '#repositories/assets/summary.ts';
import { builder } from '../../builder.ts';
import { Money } from './money.ts';

const CategorySummary = builder.objectRef<CategorySummaryShape>('CategorySummary').implement({
  description: 'One category of a portfolio.',
  fields: (t) => ({
    category: t.exposeString('category', { authScopes: { registry: true }, description: 'Category code.' }),
    name: t.exposeString('name', { authScopes: { registry: true }, description: 'Name of the category.' }),
    itemCount: t.exposeInt('itemCount', { authScopes: { registry: true }, description: 'Items of the view.' }),
    totalValue: t.expose('totalValue', {
      type: Money,
      authScopes: { valuation: true },
      description: 'Over the items that have a market value.',
    }),
  }),
});

const DocumentationCompleteness = builder
  .objectRef<SummaryShape['documentationCompleteness']>('DocumentationCompleteness')
  .implement({
    description: 'Completeness over all items of the view.',
    fields: (t) => ({
      score: t.exposeInt('score', {
        nullable: true,
        authScopes: { documentation: true },
        description: "Mean of the items' scores, rounded down; null where there are no items.",
      }),
      completeItems: t.exposeInt('completeItems', {
        authScopes: { documentation: true },
        description: 'Items with everything that is recommended.',
      }),
    }),
  });

const PortfolioSummary = builder.objectRef<SummaryShape>('PortfolioSummary').implement({
  description: 'The aggregated view of a portfolio: only what the grant lets through counts.',
  fields: (t) => ({
    clientId: t.expose('clientId', {
      type: 'ID',
      authScopes: { portfolio: true },
      description: "The client's user id.",
    }),
    itemCount: t.exposeInt('itemCount', { authScopes: { registry: true }, description: 'Items of the view.' }),
    categories: t.expose('categories', {
      type: [CategorySummary],
      authScopes: { registry: true },
      description: 'Categories that have items, by code.',
    }),
    totalValue: t.expose('totalValue', {
      type: Money,
      authScopes: { valuation: true },
      description: 'Over the items that have a market value.',
    }),
    documentationCompleteness: t.expose('documentationCompleteness', {
      type: DocumentationCompleteness,
      authScopes: { documentation: true },
      description: 'How complete the documents of the items are.',
      extensions: { changesAt: 'midnight' },
    }),
    asOf: t.expose('asOf', {
      type: 'Timestamp',
      authScopes: { portfolio: true },
      description: 'When the figures were read.',
    }),
  }),
});

builder.queryField('portfolioSummary', (t) =>
  t.field({
    type: PortfolioSummary,
    authScopes: { portfolio: true },
    complexity: 50,
    args: { clientId: t.arg.id({ required: true }) },
    resolve: (_root, { clientId }, context) => summarise(context.portfolio, requireView(context, clientId)),
  }),
);
