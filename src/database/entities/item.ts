// Database: a client's items, their collections and share links.
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import { propertiesOf } from './columns.ts';
import { entity, p } from './entity.ts';
import { P0, P1 } from './tier.ts';

export const Item = entity('Item', 'items', propertiesOf(ASSET_FIELDS));

export const Collection = entity('Collection', 'collections', {
  id: P1(p.text()).primary(),
  clientId: P1(p.text()),
  name: P1(p.text()),
  createdAt: P1(p.datetime(3)),
  updatedAt: P1(p.datetime(3)),
});

export const ItemCollection = entity('ItemCollection', 'item_collections', {
  itemId: P1(p.text()).primary(),
  collectionId: P1(p.text()).primary(),
});

export const ShareLink = entity('ShareLink', 'share_links', {
  id: P1(p.text()).primary(),
  itemId: P1(p.text()),
  label: P1(p.text()).nullable(),
  token: P0(p.text()).nullable(),
  createdAt: P1(p.datetime(3)),
  expiresAt: P1(p.datetime(3)).nullable(),
});
