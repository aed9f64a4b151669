// Schema: the summary of a portfolio.

import { requireView } from '#gateway/execution/context.ts';
import {
  type CategorySummary as CategorySummaryShape,
  type PortfolioSummary as SummaryShape,
  summarise,
} from '#repositories/assets/portfolio-summary.ts';
import { builder } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { Money } from './money.ts';

const CategorySummary = builder.objectRef<CategorySummaryShape>('CategorySummary').implement({
  description: 'One category of a portfolio.',
  fields: (t) => ({
    ...exposed(t, 'registry', {
      category: ['String', 'Category code.'],
      name: ['String', 'Name of the category.'],
      itemCount: ['Int', 'Items of the view.'],
    }),
    ...exposed(t, 'valuation', {
      totalValue: [Money, 'Over the items that have a market value.'],
    }),
  }),
});

const DocumentationCompleteness = builder
  .objectRef<SummaryShape['documentationCompleteness']>('DocumentationCompleteness')
  .implement({
    description: 'Completeness over all items of the view.',
    fields: exposing('documentation', {
      score: ['Int?', "Mean of the items' scores, rounded down; null if there are no items."],
      completeItems: ['Int', 'Number of items with all recommended documents.'],
    }),
  });

const PortfolioSummary = builder.objectRef<SummaryShape>('PortfolioSummary').implement({
  description: 'The aggregated view of a portfolio. Only items that the grant covers count.',
  fields: (t) => ({
    ...exposed(t, 'portfolio', {
      clientId: ['ID', "The client's user id."],
      asOf: ['Timestamp', 'When the figures were read.'],
    }),
    ...exposed(t, 'registry', {
      itemCount: ['Int', 'Items of the view.'],
      categories: [[CategorySummary], 'Categories that have items, by code.'],
    }),
    ...exposed(t, 'valuation', {
      totalValue: [Money, 'Over the items that have a market value.'],
    }),
    ...exposed(t, 'documentation', {
      documentationCompleteness: [
        DocumentationCompleteness,
        'How complete the documents of the items are.',
        { extensions: { changesAt: 'midnight' } },
      ],
    }),
  }),
});

builder.queryField('portfolioSummary', (t) =>
  t.field({
    type: PortfolioSummary,
    authScopes: { portfolio: true },
    extensions: { cost: 50 },
    args: { clientId: t.arg.id({ required: true }) },
    resolve: (_root, { clientId }, context) => summarise(context.portfolio, requireView(context, clientId)),
  }),
);
