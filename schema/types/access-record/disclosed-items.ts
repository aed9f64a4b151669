// Schema: the items in the response to a recorded call.
import { includesOf, unpackNumbers } from '#core/disclosure.ts';
import { batchLoad } from '#gateway/execution/batch-loaders.ts';
import type { Context } from '#gateway/execution/context.ts';
import { contentsOf } from '#repositories/access-record/item-calls.ts';
import { itemsByNumber, type RecordedItem as RecordedItemShape } from '#repositories/access-record/item-names.ts';
import type { AccessEntry } from '#repositories/access-record/pages.ts';
import { builder, type FieldBuilder, ofClient } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';

const RecordedItem = builder.objectRef<RecordedItemShape>('RecordedItem').implement({
  description: 'An item in the response to a call.',
  fields: exposing('client', {
    registryId: ['String', 'As in asset paths.'],
    title: ['String?', 'Present title; null if the item was deleted.'],
  }),
});

export function disclosedFields(t: FieldBuilder<AccessEntry>) {
  return {
    contents: t.string({
      authScopes: ofClient,
      description:
        'Contents of the response: `items`; `totals` over everything that the grant covered; `nothing` of the portfolio; `unrecorded` if the call was made before items were recorded, or if it reported the removal of an item without a number.',
      resolve: contentsOf,
    }),
    itemCount: t.int({
      nullable: true,
      authScopes: ofClient,
      description: 'Number of items in the response; null if not recorded.',
      resolve: ({ items }) => items && unpackNumbers(items).length,
    }),
    items: t.field({
      type: [RecordedItem],
      nullable: true,
      authScopes: ofClient,
      description: 'Items in the response; for a 304, those that it confirmed as unchanged. Null if not recorded.',
      resolve: ({ items }, _args, context) => items && named(items, context),
    }),
    removedItems: t.field({
      type: [RecordedItem],
      authScopes: ofClient,
      description: 'Items that the response reported as having left the view, by registry id only.',
      resolve: ({ removed }, _args, context) => (removed === null ? [] : named(removed, context)),
    }),
    includes: t.stringList({
      nullable: true,
      authScopes: ofClient,
      description: 'Lists that were included with the items: valuations, documents; null if not recorded.',
      resolve: ({ includes }) => (includes === null ? null : includesOf(includes)),
    }),
    ...exposed(t, 'client', {
      disclosed: ['Scopes?', 'Names of the scopes of the fields in the response; null if not recorded.'],
      version: [
        'Date?',
        'Version of the API; null for tools, if the request named no supported one, and if not recorded.',
      ],
    }),
  };
}

function named(packed: Buffer, context: Context): Promise<RecordedItemShape[]> {
  const numbers = unpackNumbers(packed);
  return Promise.all(
    numbers.map(async (number) => {
      const item = await batchLoad(context, itemsByNumber, String(number));
      if (item === undefined) throw new Error(`no item has or had the number ${number}`);
      return item;
    }),
  );
}
