// Database: a client's items, their collections and share links.
import { defineEntity, p } from '@mikro-orm/core';
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import { propertiesOf } from './columns.ts';
import { P0, P1 } from './tier.ts';

export const Item = defineEntity({
  name: 'Item',
  tableName: 'items',
  properties: propertiesOf(ASSET_FIELDS),
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
