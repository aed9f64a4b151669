// Schema: which of a client's items a grant covers.
import type { FilterView } from '#gateway/consent/grant-view.ts';
import { builder, ofConsent } from '../../builder.ts';
import { Category } from '../portfolio/category.ts';

const FilterItem = builder.objectRef<NonNullable<FilterView['items']>[number]>('FilterItem').implement({
  description: 'An item that a filter names.',
  fields: (t) => ({
    registryId: t.exposeString('registryId', { authScopes: ofConsent, description: 'As the filter names it.' }),
    title: t.exposeString('title', {
      nullable: true,
      authScopes: ofConsent,
      description: 'Null where the item is no more.',
    }),
  }),
});

const FilterCollection = builder.objectRef<NonNullable<FilterView['collection']>>('FilterCollection').implement({
  description: 'The collection that a filter names.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', authScopes: ofConsent, description: 'As the filter names it.' }),
    name: t.exposeString('name', {
      nullable: true,
      authScopes: ofConsent,
      description: 'Null where the collection is no more.',
    }),
    itemCount: t.exposeInt('itemCount', { authScopes: ofConsent, description: 'Items in it now.' }),
  }),
});

export const GrantFilter = builder.objectRef<FilterView>('GrantFilter').implement({
  description: "Which of a client's items a grant covers, as far as the viewer may know.",
  fields: (t) => ({
    type: t.exposeString('type', { authScopes: ofConsent, description: 'all, category, items or collection.' }),
    categories: t.expose('categories', {
      type: [Category],
      nullable: true,
      authScopes: ofConsent,
      description: 'Of the filter `category`.',
    }),
    itemCount: t.exposeInt('itemCount', {
      nullable: true,
      authScopes: ofConsent,
      description: 'Of the filter `items`: how many it names.',
    }),
    items: t.expose('items', {
      type: [FilterItem],
      nullable: true,
      authScopes: ofConsent,
      description: 'Of the filter `items`: the first ten with their titles. Clients only.',
    }),
    registryIds: t.exposeStringList('registryIds', {
      nullable: true,
      authScopes: ofConsent,
      description:
        'Of the filter `items`: all registry ids. Firms: only while active and the scope `registry` is theirs.',
    }),
    collection: t.expose('collection', {
      type: FilterCollection,
      nullable: true,
      authScopes: ofConsent,
      description: 'Of the filter `collection`. Firms: only while active and the scope `detail` is theirs.',
    }),
  }),
});

export const GrantFilterInput = builder.inputType('GrantFilterInput', {
  description: 'Which items: `type`, and the one member that the type names.',
  fields: (t) => ({
    type: t.string({ required: true, description: 'all, category, items or collection.' }),
    categories: t.stringList({ description: 'Category codes, for the type `category`.' }),
    items: t.stringList({ description: 'Registry ids, up to 10,000, for the type `items`.' }),
    collection: t.id({ description: 'Collection id, for the type `collection`.' }),
  }),
});
