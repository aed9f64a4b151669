// Schema: valuations, and the query for an asset's history.
import { VALUATION_FIELDS } from '#core/fields/valuation.ts';
import { byRegistryId, requireView, visible } from '#gateway/execution/context.ts';
import { carry, type Discloses } from '#gateway/execution/disclosed.ts';
import { readValuationPage } from '#gateway/paging/paging.ts';
import { listValuations, type Valuation as ValuationShape } from '#repositories/assets/valuations.ts';
import { builder } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { COUNTED, type Connection, type Edge, PAGE_ARGS, PageConnection, PageInfo, Pagination } from './page.ts';
import { tableFields } from './table-fields.ts';

export const Valuation = builder.objectRef<ValuationShape>('Valuation').implement({
  description: 'What an item was valued at, by whom and when.',
  fields: (t) => ({
    ...tableFields(t, VALUATION_FIELDS),
    ...exposed(t, 'registry', {
      registryId: ['String', 'The valued asset.', { extensions: { discloses: 'item' satisfies Discloses } }],
    }),
  }),
});

const ValuationEdge = builder.objectRef<Edge<ValuationShape>>('ValuationEdge').implement({
  fields: exposing('valuation', {
    cursor: ['String'],
    node: [Valuation],
  }),
});

const ValuationConnection = builder.objectRef<Connection<ValuationShape>>('ValuationConnection').implement({
  description: 'A page of the valuation history of an asset, newest first.',
  fields: exposing('valuation', {
    nodes: [[Valuation], undefined, COUNTED],
    edges: [[ValuationEdge], undefined, COUNTED],
    pageInfo: [PageInfo],
    pagination: [Pagination],
  }),
});

builder.queryField('valuations', (t) =>
  t.field({
    type: ValuationConnection,
    authScopes: { portfolio: true, valuation: true },
    extensions: { cost: 5 },
    args: {
      clientId: t.arg.id({ required: true }),
      registryId: t.arg.string({ required: true }),
      source: t.arg.string({ description: 'Only valuations of this source.' }),
      since: t.arg({ type: 'Timestamp', description: 'Only valuations after this instant.' }),
      ...PAGE_ARGS,
    },
    resolve: async (_root, args, context, info) => {
      const view = requireView(context, args.clientId);
      const request = readValuationPage(args, context.cursors);
      const query = { source: args.source ?? null, since: args.since ?? null };
      const found = await byRegistryId(args.registryId, () =>
        listValuations(context.portfolio, view, args.registryId, query, request.slice),
      );
      const { number, page } = visible(found);
      carry(context, info, { numbers: [number], empty: page.nodes.length === 0 });
      return new PageConnection(page, request);
    },
  }),
);
