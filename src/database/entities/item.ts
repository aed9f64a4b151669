// Database: a client's items, their collections and share links.
import { defineEntity, p } from '@mikro-orm/core';
import { P0, P1, P2 } from './tier.ts';

export const Item = defineEntity({
  name: 'Item',
  tableName: 'items',
  properties: {
    id: P1(p.text()).primary(),
    registryId: P1(p.text()),
    clientId: P1(p.text()),
    category: P1(p.text()),
    title: P1(p.text()),
    quantity: P1(p.decimal()),
    marketValue: P1(p.decimal()).nullable(),
    marketValueAsOf: P1(p.datetime(3)).nullable(),
    purchaseAmount: P1(p.decimal()).nullable(),
    purchaseCurrency: P1(p.text()).nullable(),
    purchasedOn: P1(p.date()).nullable(),
    insuranceAmount: P1(p.decimal()).nullable(),
    insuranceCurrency: P1(p.text()).nullable(),
    description: P1(p.text()).nullable(),
    notes: P1(p.text()).nullable(),
    seller: P1(p.text()).nullable(),
    storageLocation: P1(p.text()).nullable(),
    categoryFields: P1(p.json()).nullable(),
    heirs: P1(p.json()),
    readiness: P1(p.json()).nullable(),
    verification: P1(p.json()).nullable(),
    internalNotes: P0(p.text()).nullable(),
    revision: P2(p.integer()),
    createdAt: P1(p.datetime(3)),
    updatedAt: P1(p.datetime(3)),
  },
});

export const Collection = defineEntity({
  name: 'Collection',
  tableName: 'collections',
  properties: {
    id: P1(p.text()).primary(),
    clientId: P1(p.text()),
    name: P1(p.text()),
    createdAt: P1(p.datetime(3)),
    updatedAt: P1(p.datetime(3)),
  },
});

export const ItemCollection = defineEntity({
  name: 'ItemCollection',
  tableName: 'item_collections',
  properties: {
    itemId: P1(p.text()).primary(),
    collectionId: P1(p.text()).primary(),
  },
});

export const ShareLink = defineEntity({
  name: 'ShareLink',
  tableName: 'share_links',
  properties: {
    id: P1(p.text()).primary(),
    itemId: P1(p.text()),
    label: P1(p.text()).nullable(),
    token: P0(p.text()).nullable(),
    createdAt: P1(p.datetime(3)),
    expiresAt: P1(p.datetime(3)).nullable(),
  },
});
