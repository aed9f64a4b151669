// Schema: categories of items.
import { builder, ofPortal } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

export const Category = builder.objectRef<{ code: string; name: string }>('Category').implement({
  description: 'A category of items.',
  fields: exposing('portal', {
    code: ['String', 'Category code, e.g. `WT`.'],
    name: ['String', 'Name of the category.'],
  }),
});

builder.queryField('categories', (t) =>
  t.field({
    type: [Category],
    authScopes: ofPortal,
    description: 'All categories, by code.',
    resolve: (_root, _args, { reference }) => reference.current().categories,
  }),
);
