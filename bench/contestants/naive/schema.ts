// Bench, naive: assets and their list, directly from em.find and em.count.
import { fingerprint } from '../../../src/core/cursor.ts';
import { Item } from '../../../src/database/entities/item.ts';
import { completeness, type View } from '../plain/store.ts';
import { builder, needs } from './builder.ts';
import {
  AssetCollection,
  Completeness,
  Document,
  Estate,
  type EstateShape,
  Money,
  type MoneyShape,
  Valuation,
  Verification,
  type VerificationShape,
} from './parts.ts';

interface ItemRow {
  id: string;
  registryId: string;
  title: string;
  category: string;
  quantity: string;
  createdAt: Date;
  updatedAt: Date;
  marketValue: string | null;
  marketValueAsOf: Date | null;
  purchaseAmount: string | null;
  purchaseCurrency: string | null;
  purchasedOn: string | null;
  insuranceAmount: string | null;
  insuranceCurrency: string | null;
  description: string | null;
  notes: string | null;
  seller: string | null;
  storageLocation: string | null;
  categoryFields: unknown;
  heirs: unknown;
  readiness: unknown;
  verification: unknown;
}

const money = (amount: string | null | undefined, currency: string | null | undefined): MoneyShape | null =>
  amount == null || currency == null ? null : { amount, currency };

const Asset = builder.objectRef<ItemRow>('Asset').implement({
  fields: (t) => ({
    id: t.exposeID('id', needs('registry')),
    registryId: t.exposeString('registryId', needs('registry')),
    title: t.exposeString('title', needs('registry')),
    category: t.exposeString('category', needs('registry')),
    quantity: t.float({ ...needs('registry'), resolve: ({ quantity }) => Number(quantity) }),
    createdAt: t.expose('createdAt', { type: 'Timestamp', ...needs('registry') }),
    updatedAt: t.expose('updatedAt', { type: 'Timestamp', ...needs('registry') }),
    marketValue: t.field({
      type: Money,
      ...needs('valuation'),
      resolve: ({ marketValue }, _args, { view }) => money(marketValue, view.currency),
    }),
    marketValueAsOf: t.expose('marketValueAsOf', { type: 'Timestamp', ...needs('valuation') }),
    purchasePrice: t.field({
      type: Money,
      ...needs('valuation'),
      resolve: ({ purchaseAmount, purchaseCurrency }) => money(purchaseAmount, purchaseCurrency),
    }),
    purchasedOn: t.expose('purchasedOn', { type: 'Date', ...needs('valuation') }),
    insuranceValue: t.field({
      type: Money,
      ...needs('valuation'),
      resolve: ({ insuranceAmount, insuranceCurrency }) => money(insuranceAmount, insuranceCurrency),
    }),
    description: t.exposeString('description', needs('detail')),
    notes: t.exposeString('notes', needs('detail')),
    seller: t.exposeString('seller', needs('detail')),
    storageLocation: t.exposeString('storageLocation', needs('detail')),
    collections: t.field({
      type: [AssetCollection],
      ...needs('detail'),
      resolve: ({ id }, _args, { collections }) => collections.load(id),
    }),
    categoryFields: t.field({
      type: 'JSON',
      ...needs('category_detail'),
      resolve: ({ categoryFields }) => categoryFields,
    }),
    documentation: t.field({
      type: Completeness,
      ...needs('documentation'),
      resolve: async ({ id, category }, _args, { recommended, documents }) => {
        const today = new Date().toISOString().slice(0, 10);
        const wanted = await recommended.load(category);
        const valid = (await documents.load(id)).filter(({ expiresOn }) => expiresOn == null || expiresOn >= today);
        const types = new Set(valid.map(({ type }) => type));
        return completeness(wanted, [...types].filter((type) => wanted.includes(type)).sort());
      },
    }),
    estate: t.field({
      type: Estate,
      ...needs('estate'),
      resolve: ({ id, heirs, readiness }) => ({ id, heirs, readiness: readiness ?? null }) as EstateShape,
    }),
    verification: t.field({
      type: Verification,
      ...needs('verification'),
      resolve: ({ verification }) => verification as VerificationShape | null,
    }),
    valuations: t.field({
      type: [Valuation],
      args: { first: t.arg.int({ defaultValue: 10 }) },
      ...needs('valuation'),
      resolve: async ({ id, registryId }, { first }, { valuations }) =>
        (await valuations.load(id)).slice(0, first ?? 10).map((row) => ({ ...row, registryId })),
    }),
    documents: t.field({
      type: [Document],
      ...needs('documentation'),
      resolve: async ({ id, registryId }, _args, { documents }) =>
        (await documents.load(id)).map((row) => ({ ...row, registryId })),
    }),
  }),
});

interface ListShape {
  nodes: ItemRow[];
  total: number;
  page: number;
  size: number;
  nextCursor: string | null;
}

const Pagination = builder.objectRef<ListShape>('Pagination').implement({
  fields: (t) => ({
    page: t.exposeInt('page'),
    pageSize: t.exposeInt('size'),
    totalItems: t.exposeInt('total'),
    totalPages: t.int({ resolve: ({ total, size }) => Math.ceil(total / size) }),
    hasMore: t.boolean({ resolve: ({ page, size, total }) => page * size < total }),
    nextCursor: t.exposeString('nextCursor'),
  }),
});

const Sync = builder.objectRef<View>('Sync').implement({
  fields: (t) => ({
    asOf: t.expose('horizon', { type: 'Timestamp' }),
    full: t.boolean({ resolve: () => true }),
  }),
});

const Removal = builder.objectRef<{ registryId: string; removedAt: string; reason: string }>('AssetRemoval').implement({
  fields: (t) => ({
    registryId: t.exposeString('registryId', needs('registry')),
    removedAt: t.expose('removedAt', { type: 'Timestamp', ...needs('registry') }),
    reason: t.exposeString('reason', needs('registry')),
  }),
});

const AssetList = builder.objectRef<ListShape>('AssetConnection').implement({
  fields: (t) => ({
    nodes: t.expose('nodes', { type: [Asset] }),
    pagination: t.field({ type: Pagination, resolve: (list) => list }),
    removed: t.field({ type: [Removal], resolve: () => null }),
    sync: t.field({ type: Sync, resolve: (_list, _args, { view }) => view }),
  }),
});

/** The view as a condition, without delta sync and collections, which a first version would lack. */
function itemsOf(view: View) {
  const { clientId, filter } = view;
  if (filter.type === 'category') return { clientId, category: { $in: filter.categories } };
  if (filter.type === 'items') return { clientId, registryId: { $in: filter.items } };
  return { clientId };
}

builder.queryType({
  fields: (t) => ({
    assets: t.field({
      type: AssetList,
      args: {
        ...{ clientId: t.arg.id({ required: true }), categories: t.arg.stringList() },
        ...{ minValue: t.arg({ type: 'Decimal' }), maxValue: t.arg({ type: 'Decimal' }) },
        ...{ updatedSince: t.arg({ type: 'Timestamp' }), first: t.arg.int(), after: t.arg.string() },
        page: t.arg.int(),
      },
      resolve: async (_root, { first, page }, { em, view, house }) => {
        const size = first ?? 25;
        const number = page ?? 1;
        const where = itemsOf(view);
        const [nodes, total] = await Promise.all([
          em.find(Item, where, {
            orderBy: { id: 'asc' },
            limit: size,
            offset: (number - 1) * size,
          }) as Promise<unknown>,
          em.fork().count(Item, where),
        ]);
        const of = fingerprint([['assets', view.clientId, null, null, null, null], size]);
        const position = { page: number + 1, after: [(nodes as ItemRow[]).at(-1)?.id ?? ''] };
        const nextCursor = number * size < total ? house.cursors.encode(position, of) : null;
        return { nodes: nodes as ItemRow[], total, page: number, size, nextCursor };
      },
    }),
    asset: t.field({
      type: Asset,
      args: { clientId: t.arg.id({ required: true }), registryId: t.arg.string({ required: true }) },
      resolve: (_root, { registryId }, { em, view }) =>
        em.findOne(Item, { $and: [itemsOf(view), { registryId }] }) as unknown as Promise<ItemRow | null>,
    }),
  }),
});

export const schema = builder.toSchema();
