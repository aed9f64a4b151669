// Schema: what an owner has arranged for the estate.
import { ASSET_FIELDS } from '#core/fields/asset.ts';
import type { Estate as EstateShape, ShareLink as ShareLinkShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';
import { tableFields } from './table-fields.ts';

const Heir = builder.objectRef<EstateShape['heirs'][number]>('Heir').implement({
  description: 'Somebody designated to inherit the item.',
  fields: (t) => ({
    name: t.exposeString('name', { authScopes: { estate: true }, description: 'Name of the heir.' }),
    relationship: t.exposeString('relationship', {
      nullable: true,
      authScopes: { estate: true },
      description: 'To the owner.',
    }),
    sharePercent: t.exposeFloat('share_percent', {
      nullable: true,
      authScopes: { estate: true },
      description: 'Up to 2 decimals.',
    }),
  }),
});

const ShareLink = builder.objectRef<ShareLinkShape>('ShareLink').implement({
  description: 'A link by which the owner shares the item; the secret part of it is nowhere in this API.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', authScopes: { estate: true }, description: 'The link: `shl_` and a ULID.' }),
    label: t.exposeString('label', {
      nullable: true,
      authScopes: { estate: true },
      description: "The owner's name for the link.",
    }),
    createdAt: t.expose('createdAt', {
      type: 'Timestamp',
      authScopes: { estate: true },
      description: 'When the link was made.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'Timestamp',
      nullable: true,
      authScopes: { estate: true },
      description: 'When it ends; null where it does not.',
    }),
    active: t.exposeBoolean('active', {
      authScopes: { estate: true },
      description: 'Whether it has not expired.',
      extensions: { changesAt: 'expiresAt' },
    }),
  }),
});

const Readiness = builder.objectRef<NonNullable<EstateShape['readiness']>>('EstateReadiness').implement({
  description: 'How ready the item is for the estate.',
  fields: (t) => ({
    score: t.exposeInt('score', { nullable: true, authScopes: { estate: true }, description: '0 to 100.' }),
    missing: t.exposeStringList('missing', {
      authScopes: { estate: true },
      description: 'What is missing, in free words.',
    }),
  }),
});

export const Estate = builder.objectRef<EstateShape>('Estate').implement({
  description: 'Heirs, share links and readiness of an item.',
  fields: (t) => ({
    ...tableFields(t, ASSET_FIELDS, { heirs: [Heir], readiness: Readiness }, 'estate'),
    shareLinks: t.expose('shareLinks', {
      type: [ShareLink],
      authScopes: { estate: true },
      description: 'Oldest first.',
    }),
  }),
});
