// Bench, naive: the context of a request's resolvers: its own EntityManager, loaders, and the grant.
import type { InferEntity } from '@mikro-orm/core';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import { Document } from '../../../src/database/entities/document.ts';
import { entities } from '../../../src/database/entities/index.ts';
import { Collection, ItemCollection, ShareLink } from '../../../src/database/entities/item.ts';
import { Category } from '../../../src/database/entities/reference.ts';
import { Valuation } from '../../../src/database/entities/valuation.ts';
import type { House } from '../plain/house.ts';
import type { View } from '../plain/store.ts';

export interface Context {
  em: EntityManager;
  view: View;
  house: House;
  collections: DataLoader<string, { id: string; name: string }[]>;
  shareLinks: DataLoader<string, ShareLinkRow[]>;
  valuations: DataLoader<string, ValuationRow[]>;
  documents: DataLoader<string, DocumentRow[]>;
  recommended: DataLoader<string, string[]>;
}

export type ShareLinkRow = InferEntity<typeof ShareLink>;

// The product's entities are generated from tables of fields, so they have no types of their own.
export interface ValuationRow {
  id: string;
  itemId: string;
  source: string;
  amount: string;
  currency: string;
  valuedAt: Date;
  appraiser: string | null;
  createdAt: Date;
}

export interface DocumentRow {
  id: string;
  itemId: string;
  type: string;
  title: string;
  issuer: string | null;
  issuedOn: string | null;
  expiresOn: string | null;
  fileSize: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export function openOrm(): MikroORM {
  return new MikroORM({ clientUrl: process.env.DATABASE_URL as string, entities, pool: { min: 0, max: 10 } });
}

export function createContext(orm: MikroORM, house: House, view: View): Context {
  const em = orm.em.fork();
  const grouped = <Row extends { itemId: string }>(find: (ids: string[]) => Promise<unknown>) =>
    new DataLoader<string, Row[]>(async (ids) => {
      const rows = Map.groupBy((await find([...ids])) as Row[], ({ itemId }) => itemId);
      return ids.map((id) => rows.get(id) ?? []);
    });
  return {
    ...{ em, view, house },
    collections: new DataLoader(async (ids) => {
      const members = await em.find(ItemCollection, { itemId: { $in: [...ids] } });
      const found = await em.find(Collection, { id: { $in: members.map(({ collectionId }) => collectionId) } });
      const names = new Map(found.map(({ id, name }) => [id, { id, name }]));
      return ids.map((id) =>
        members
          .filter(({ itemId }) => itemId === id)
          .map(({ collectionId }) => names.get(collectionId) as { id: string; name: string })
          .sort((one, other) => (one.id < other.id ? -1 : 1)),
      );
    }),
    shareLinks: grouped((ids) =>
      em.find(ShareLink, { itemId: { $in: ids } }, { orderBy: { createdAt: 'asc', id: 'asc' } }),
    ),
    valuations: grouped((ids) =>
      em.find(Valuation, { itemId: { $in: ids } }, { orderBy: { valuedAt: 'desc', id: 'desc' } }),
    ),
    documents: grouped((ids) =>
      em.find(Document, { itemId: { $in: ids } }, { orderBy: { issuedOn: 'desc nulls last', id: 'desc' } }),
    ),
    recommended: new DataLoader(async (codes) => {
      const rows = await em.find(Category, { code: { $in: [...codes] } });
      return codes.map((code) => rows.find((row) => row.code === code)?.recommendedDocuments ?? []);
    }),
  };
}
