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
  description: 'An item that an answer carried.',
  fields: exposing('client', {
    registryId: ['String', 'As in asset paths.'],
    title: ['String?', 'Its title now; null where it is no more.'],
  }),
});

export function disclosedFields(t: FieldBuilder<AccessEntry>) {
  return {
    contents: t.string({
      authScopes: ofClient,
      description:
        'What the answer was made of: `items`; `totals` over everything that the grant covered; `nothing` of the portfolio; `unrecorded` where the call was made before items were recorded.',
      resolve: contentsOf,
    }),
    itemCount: t.int({
      nullable: true,
      authScopes: ofClient,
      description: 'How many items it carried; null where they are not recorded.',
      resolve: ({ items }) => items && unpackNumbers(items).length,
    }),
    items: t.field({
      type: [RecordedItem],
      nullable: true,
      authScopes: ofClient,
      description:
        'Items that it carried; after a 304, those that the caller was told are unchanged. Null where not recorded.',
      resolve: ({ items }, _args, context) => items && named(items, context),
    }),
    removedItems: t.field({
      type: [RecordedItem],
      authScopes: ofClient,
      description: 'Items that it told had left the view: their registry ids, and nothing else.',
      resolve: ({ removed }, _args, context) => (removed === null ? [] : named(removed, context)),
    }),
    includes: t.stringList({
      nullable: true,
      authScopes: ofClient,
      description: 'Lists that came with the items: valuations, documents; null where not recorded.',
      resolve: ({ includes }) => (includes === null ? null : includesOf(includes)),
    }),
    ...exposed(t, 'client', {
      disclosed: ['Scopes?', 'Names of the scopes whose fields it carried; null where not recorded.'],
      version: [
        'Date?',
        'Version of the API that it was made in; null for tools, where it named none that is served, and where not recorded.',
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
