// Schema: a client's own items, collections and categories, to choose from.
import { refuseParameter } from '#core/errors.ts';
import { MAX_FILTER_ITEMS } from '#core/filter-size.ts';
import { requireClient } from '#gateway/consent/actor.ts';
import { readSearch } from '#gateway/consent/portal-arguments.ts';
import { readNumberedPage } from '#gateway/paging/paging.ts';
import {
  listOwnCategories,
  listOwnCollections,
  listOwnItemIds,
  listOwnItems,
  type OwnCategory as OwnCategoryShape,
  type OwnCollection as OwnCollectionShape,
  type OwnItemPage as OwnItemPageShape,
  type OwnItem as OwnItemShape,
} from '#repositories/assets/own-items.ts';
import { builder, ofClient } from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { NUMBERED_PAGE_ARGS } from './page.ts';

const OwnItem = builder.objectRef<OwnItemShape>('OwnItem').implement({
  description: "One of the client's own items, with the fields needed to choose it.",
  fields: exposing('client', {
    registryId: ['String', 'The id used by filters.'],
    title: ['String', 'Title given by the owner.'],
    category: ['String', 'Category code.'],
  }),
});

const OwnItemPage = builder.objectRef<OwnItemPageShape>('OwnItemPage').implement({
  description: "A page of the client's own items, newest first.",
  fields: exposing('client', {
    nodes: [[OwnItem], 'The items of the page.'],
    totalItems: ['Int', 'Number of items in the whole list.'],
  }),
});

const OwnCollection = builder.objectRef<OwnCollectionShape>('OwnCollection').implement({
  description: 'A collection of the client.',
  fields: exposing('client', {
    id: ['ID', 'The id used by filters.'],
    name: ['String', 'Given by the owner.'],
    itemCount: ['Int', 'Items in it now.'],
  }),
});

const OwnCategory = builder.objectRef<OwnCategoryShape>('OwnCategory').implement({
  description: "A category with the client's own items.",
  fields: exposing('client', {
    code: ['String', 'Category code, e.g. `WT`.'],
    name: ['String', 'Name of the category.'],
    itemCount: ['Int', 'Items in it now.'],
  }),
});

const SELECTION_ARGS = builder.args((t) => ({
  search: t.string({ description: 'Part of the title or of the registry id.' }),
  categories: t.stringList({ description: 'Only items of these categories.' }),
  collection: t.id({ description: 'Only items of this collection of the client.' }),
}));

function readRegistryIds(ids: readonly string[] | null | undefined): readonly string[] | null {
  if (ids === null || ids === undefined || ids.length <= MAX_FILTER_ITEMS) return ids ?? null;
  refuseParameter('registryIds', `At most ${MAX_FILTER_ITEMS} items can be named.`);
}

builder.queryFields((t) => ({
  ownItems: t.field({
    type: OwnItemPage,
    authScopes: ofClient,
    description: "The client's own items.",
    args: {
      ...SELECTION_ARGS,
      registryIds: t.arg.stringList({ description: 'Only these, e.g. those that a filter names; up to 10,000.' }),
      ...NUMBERED_PAGE_ARGS,
    },
    resolve: (_root, args, context) => {
      const query = {
        search: readSearch(args.search),
        categories: args.categories ?? null,
        collection: args.collection ?? null,
        registryIds: readRegistryIds(args.registryIds),
      };
      return listOwnItems(context.database, requireClient(context), query, readNumberedPage(args).slice);
    },
  }),
  ownItemIds: t.field({
    type: ['String'],
    authScopes: ofClient,
    description: 'Registry ids of the items that `ownItems` finds, in its order, at most 10,000.',
    args: SELECTION_ARGS,
    resolve: (_root, { search, categories = null, collection = null }, context) => {
      const query = { search: readSearch(search), categories, collection, registryIds: null };
      return listOwnItemIds(context.database, requireClient(context), query, MAX_FILTER_ITEMS);
    },
  }),
  ownCollections: t.field({
    type: [OwnCollection],
    authScopes: ofClient,
    description: "The client's collections, by name.",
    resolve: (_root, _args, context) => listOwnCollections(context.database, requireClient(context)),
  }),
  ownCategories: t.field({
    type: [OwnCategory],
    authScopes: ofClient,
    description: 'Categories that have items, by name.',
    resolve: (_root, _args, context) => listOwnCategories(context.database, requireClient(context)),
  }),
}));
