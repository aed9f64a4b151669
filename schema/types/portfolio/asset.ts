// Schema: assets, and the queries that give them.

import { requireCount } from '#gateway/paging/paging.ts';
import type { Asset as AssetShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';
import { Completeness } from './completeness.ts';
import { Document } from './document.ts';
import { Estate } from './estate.ts';
import { Money } from './money.ts';
import { Valuation } from './valuation.ts';
import { Verification } from './verification.ts';

const AssetCollection = builder.objectRef<{ id: string; name: string }>('AssetCollection').implement({
  description: 'A collection that an item is in.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', authScopes: { detail: true } }),
    name: t.exposeString('name', { authScopes: { detail: true } }),
  }),
});

export const Asset = builder.objectRef<AssetShape>('Asset').implement({
  description: "One of a client's items; each field is there where its scope is granted.",
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', authScopes: { registry: true }, description: 'The item: `itm_` and a ULID.' }),
    registryId: t.exposeString('registryId', {
      authScopes: { registry: true },
      description: 'Globally unique and stable; the identifier in asset paths.',
    }),
    title: t.exposeString('title', { authScopes: { registry: true }, description: 'Title given by the owner.' }),
    category: t.exposeString('category', {
      authScopes: { registry: true },
      description: 'Category code; it may differ from the one in the registry id.',
    }),
    quantity: t.exposeFloat('quantity', { authScopes: { registry: true }, description: 'Up to 4 decimals.' }),
    createdAt: t.expose('createdAt', {
      type: 'Timestamp',
      authScopes: { registry: true },
      description: 'When the item was recorded.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'Timestamp',
      authScopes: { registry: true },
      description: 'Moves with any change of the item, its valuations or its documents.',
    }),
    marketValue: t.expose('marketValue', {
      type: Money,
      nullable: true,
      authScopes: { valuation: true },
      description: "In the client's reporting currency.",
    }),
    marketValueAsOf: t.expose('marketValueAsOf', {
      type: 'Timestamp',
      nullable: true,
      authScopes: { valuation: true },
      description: 'When the market value was determined.',
    }),
    purchasePrice: t.expose('purchasePrice', {
      type: Money,
      nullable: true,
      authScopes: { valuation: true },
      description: 'In the currency it was paid in.',
    }),
    purchasedOn: t.expose('purchasedOn', {
      type: 'Date',
      nullable: true,
      authScopes: { valuation: true },
      description: 'Day of purchase.',
    }),
    insuranceValue: t.expose('insuranceValue', {
      type: Money,
      nullable: true,
      authScopes: { valuation: true },
      description: 'In the currency of the policy.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      authScopes: { detail: true },
      description: 'What the item is.',
    }),
    notes: t.exposeString('notes', { nullable: true, authScopes: { detail: true }, description: "The owner's notes." }),
    seller: t.exposeString('seller', {
      nullable: true,
      authScopes: { detail: true },
      description: 'Whom it was bought from.',
    }),
    storageLocation: t.exposeString('storageLocation', {
      nullable: true,
      authScopes: { detail: true },
      description: 'Where it is kept.',
    }),
    collections: t.expose('collections', {
      type: [AssetCollection],
      authScopes: { detail: true },
      description: 'Collections the item is in.',
    }),
    categoryFields: t.expose('categoryFields', {
      type: 'JSON',
      nullable: true,
      authScopes: { category_detail: true },
      description: "Fields after the category's schema, e.g. metal and purity, brand and reference.",
    }),
    documentation: t.expose('documentation', {
      type: Completeness,
      authScopes: { documentation: true },
      description: 'How complete its documents are.',
    }),
    estate: t.expose('estate', {
      type: Estate,
      authScopes: { estate: true },
      description: 'What is arranged for the estate.',
    }),
    verification: t.expose('verification', {
      type: Verification,
      nullable: true,
      authScopes: { verification: true },
      description: 'Whether it is what it is said to be; null where nothing is known.',
    }),
    valuations: t.field({
      type: [Valuation],
      authScopes: { valuation: true },
      args: { first: t.arg.int({ required: true, description: 'How many, 1 to 100.' }) },
      complexity: ({ first }) => ({ field: 2, multiplier: Math.max(first, 1) }),
      description: 'The newest valuations, newest first.',
      resolve: (asset, { first }, context) => context.valuations(requireCount(first)).of(asset),
    }),
    documents: t.field({
      type: [Document],
      authScopes: { documentation: true },
      complexity: { field: 2, multiplier: 10 },
      description: 'All documents, newest issue first.',
      resolve: (asset, _args, context) => context.documents().of(asset),
    }),
  }),
});
