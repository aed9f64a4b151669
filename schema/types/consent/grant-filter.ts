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
  description: "Which of a client's items a grant covers, as far as the viewer may know.",
  fields: exposing('consent', {
    type: ['String', 'all, category, items or collection.'],
    itemCount: ['Int?', 'Of the filter `items`: how many it names.'],
    registryIds: [
      '[String]?',
      'Of the filter `items`: all registry ids. Firms: only while active and the scope `registry` is theirs.',
    ],
    categories: [[Category], 'Of the filter `category`.', { nullable: true }],
    items: [[FilterItem], 'Of the filter `items`: the first ten with their titles. Clients only.', { nullable: true }],
    collection: [
      FilterCollection,
      'Of the filter `collection`. Firms: only while active and the scope `detail` is theirs.',
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
