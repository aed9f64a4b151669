// Schema: document metadata, how complete an asset's documents are, and the query for both.
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { byRegistryId, requireView, visible } from '#gateway/execution/context.ts';
import { carry, type Discloses } from '#gateway/execution/disclosed.ts';
import type { Completeness as CompletenessShape } from '#repositories/assets/asset-row.ts';
import { type Document as DocumentShape, listDocuments } from '#repositories/assets/documents.ts';
import { builder } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { tableFields } from './table-fields.ts';

export const Completeness = builder.objectRef<CompletenessShape>('Completeness').implement({
  description: 'The share of recommended document types that are present and not expired today (UTC).',
  fields: exposing('documentation', {
    score: ['Int', 'Whole percent, rounded down; 100 if nothing is recommended.'],
    present: ['[String]', 'Codes of recommended types that are present.'],
    missing: ['[String]', 'Codes of recommended types that are missing.'],
  }),
});

export const Document = builder.objectRef<DocumentShape>('Document').implement({
  description: 'Metadata of a document. Its contents are never served.',
  fields: (t) => ({
    ...tableFields(t, DOCUMENT_FIELDS),
    ...exposed(t, 'registry', {
      registryId: ['String', 'The asset it belongs to.', { extensions: { discloses: 'item' satisfies Discloses } }],
    }),
  }),
});

const DocumentList = builder
  .objectRef<{ nodes: DocumentShape[]; completeness: CompletenessShape }>('DocumentList')
  .implement({
    description: 'All documents of an asset, newest issue first, and how complete they are.',
    fields: exposing('documentation', {
      nodes: [[Document]],
      completeness: [Completeness, undefined, { extensions: { changesAt: 'midnight' } }],
    }),
  });

builder.queryField('documents', (t) =>
  t.field({
    type: DocumentList,
    authScopes: { portfolio: true, documentation: true },
    extensions: { cost: 5, multiplier: 10 },
    args: { clientId: t.arg.id({ required: true }), registryId: t.arg.string({ required: true }) },
    resolve: async (_root, { clientId, registryId }, context, info) => {
      const view = requireView(context, clientId);
      const found = visible(await byRegistryId(registryId, () => listDocuments(context.portfolio, view, registryId)));
      carry(context, info, { numbers: [found.number], empty: found.documents.length === 0 });
      return { nodes: found.documents, completeness: found.completeness };
    },
  }),
);
