// Schema: categories of items.
import { builder, ofPortal } from '../../builder.ts';

export const Category = builder.objectRef<{ code: string; name: string }>('Category').implement({
  description: 'A category of items.',
  fields: (t) => ({
    code: t.exposeString('code', { authScopes: ofPortal, description: 'Category code, e.g. `WT`.' }),
    name: t.exposeString('name', { authScopes: ofPortal, description: 'Name of the category.' }),
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
