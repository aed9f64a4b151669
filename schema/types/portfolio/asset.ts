// Schema: the type of an asset; the queries for assets are in assets.ts.
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import type { Discloses } from '#gateway/execution/disclosed.ts';
import { requireCount } from '#gateway/paging/paging.ts';
import type { Asset as AssetShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { Completeness, Document } from './documents.ts';
import { Estate } from './estate.ts';
import { tableFields } from './table-fields.ts';
import { Valuation } from './valuations.ts';
import { Verification } from './verification.ts';

const AssetCollection = builder.objectRef<{ id: string; name: string }>('AssetCollection').implement({
  description: 'A collection that an item is in.',
  fields: exposing('detail', {
    id: ['ID'],
    name: ['String'],
  }),
});

export const Asset = builder.objectRef<AssetShape>('Asset').implement({
  description: "One of a client's items. Each field is present if its scope is granted.",
  fields: (t) => ({
    ...tableFields(t, ASSET_FIELDS, { verification: Verification }),
    ...exposed(t, 'detail', {
      collections: [[AssetCollection], 'Collections the item is in.'],
    }),
    ...exposed(t, 'documentation', {
      documentation: [Completeness, 'How complete its documents are.', { extensions: { changesAt: 'midnight' } }],
    }),
    ...exposed(t, 'estate', {
      estate: [Estate, 'What is arranged for the estate.'],
    }),
    valuations: t.field({
      type: [Valuation],
      authScopes: { valuation: true },
      args: { first: t.arg.int({ required: true, description: 'How many, 1 to 100.' }) },
      description: 'The newest valuations, newest first.',
      extensions: { cost: 2, discloses: 'valuations' satisfies Discloses },
      resolve: (asset, { first }, context) => context.valuations(requireCount(first)).of(asset),
    }),
    documents: t.field({
      type: [Document],
      authScopes: { documentation: true },
      description: 'All documents, newest issue first.',
      extensions: { cost: 2, discloses: 'documents' satisfies Discloses },
      resolve: (asset, _args, context) => context.documents().of(asset),
    }),
  }),
});
