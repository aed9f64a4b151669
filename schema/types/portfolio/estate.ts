// Schema: the owner's estate planning for an item.
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import type { Estate as EstateShape, ShareLink as ShareLinkShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { tableFields } from './table-fields.ts';

const Heir = builder.objectRef<EstateShape['heirs'][number]>('Heir').implement({
  description: 'A person designated to inherit the item.',
  fields: exposing('estate', {
    name: ['String', 'Name of the heir.'],
    relationship: ['String?', 'To the owner.'],
    share_percent: ['Float?', 'Up to 2 decimals.', { as: 'sharePercent' }],
  }),
});

const ShareLink = builder.objectRef<ShareLinkShape>('ShareLink').implement({
  description: 'A link by which the owner shares the item. Its secret part is not in this API.',
  fields: exposing('estate', {
    id: ['ID', 'The link: `shl_` and a ULID.'],
    label: ['String?', "The owner's name for the link."],
    createdAt: ['Timestamp', 'When the link was made.'],
    expiresAt: ['Timestamp?', 'When it expires; null for never.'],
    active: ['Boolean', 'Whether it has not expired.', { extensions: { changesAt: 'expiresAt' } }],
  }),
});

const Readiness = builder.objectRef<NonNullable<EstateShape['readiness']>>('EstateReadiness').implement({
  description: 'How ready the item is for the estate.',
  fields: exposing('estate', {
    score: ['Int?', '0 to 100.'],
    missing: ['[String]', 'What is missing, in free words.'],
  }),
});

export const Estate = builder.objectRef<EstateShape>('Estate').implement({
  description: 'Heirs, share links and readiness of an item.',
  fields: (t) => ({
    ...tableFields(t, ASSET_FIELDS, { heirs: [Heir], readiness: Readiness }, 'estate'),
    ...exposed(t, 'estate', {
      shareLinks: [[ShareLink], 'Oldest first.'],
    }),
  }),
});
