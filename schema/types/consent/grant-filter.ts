// Schema: which of a client's items a grant covers.
import type { FilterView } from '#gateway/consent/grant-view.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { Category } from '../portfolio/category.ts';

const FilterItem = builder.objectRef<NonNullable<FilterView['items']>[number]>('FilterItem').implement({
  description: 'An item that a filter names.',
  fields: exposing('consent', {
    registryId: ['String', 'As the filter names it.'],
    title: ['String?', 'Null if the item was deleted.'],
  }),
});

const FilterCollection = builder.objectRef<NonNullable<FilterView['collection']>>('FilterCollection').implement({
  description: 'The collection that a filter names.',
  fields: exposing('consent', {
    id: ['ID', 'As the filter names it.'],
    name: ['String?', 'Null if the collection was deleted.'],
    itemCount: ['Int', 'Items in it now.'],
  }),
});

export const GrantFilter = builder.objectRef<FilterView>('GrantFilter').implement({
  description: "The client's items that a grant covers, as far as the viewer may know.",
  fields: exposing('consent', {
    type: ['String', 'all, category, items or collection.'],
    itemCount: ['Int?', 'For the filter `items`: how many items it names.'],
    registryIds: [
      '[String]?',
      'For the filter `items`: all registry ids. For firms only while grant, key and plan are active, and grant and key include the scope `registry`.',
    ],
    categories: [[Category], 'For the filter `category`.', { nullable: true }],
    items: [
      [FilterItem],
      'For the filter `items`: the first ten items with their titles. For clients only.',
      { nullable: true },
    ],
    collection: [
      FilterCollection,
      'For the filter `collection`. For firms only while grant, key and plan are active, and grant and key include the scope `detail`.',
      { nullable: true },
    ],
  }),
});

export const GrantFilterInput = builder.inputType('GrantFilterInput', {
  description: 'The items: `type`, and the one member that belongs to the type.',
  fields: (t) => ({
    type: t.string({ required: true, description: 'all, category, items or collection.' }),
    categories: t.stringList({ description: 'Category codes, for the type `category`.' }),
    items: t.stringList({ description: 'Registry ids, up to 10,000, for the type `items`.' }),
    collection: t.id({ description: 'Collection id, for the type `collection`.' }),
  }),
});
