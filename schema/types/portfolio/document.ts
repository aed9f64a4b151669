// Schema: document metadata, and the query that gives an asset's documents.

import { byRegistryId, requireView, visible } from '#gateway/execution/context.ts';
import type { Completeness as CompletenessShape } from '#repositories/assets/asset-row.ts';
import { type Document as DocumentShape, listDocuments } from '#repositories/assets/documents.ts';
import { builder } from '../../builder.ts';
import { Completeness } from './completeness.ts';

export const Document = builder.objectRef<DocumentShape>('Document').implement({
  description: 'What is known of a document; its contents are never served.',
  fields: (t) => ({
    id: t.expose('id', {
      type: 'ID',
      authScopes: { documentation: true },
      description: 'The document: `doc_` and a ULID.',
    }),
    registryId: t.exposeString('registryId', {
      authScopes: { registry: true },
      description: 'The asset it belongs to.',
    }),
    type: t.exposeString('type', { authScopes: { documentation: true }, description: 'Code of the document type.' }),
    title: t.exposeString('title', {
      nullable: true,
      authScopes: { documentation: true },
      description: 'What it is called.',
    }),
    issuer: t.exposeString('issuer', {
      nullable: true,
      authScopes: { documentation: true },
      description: 'Who issued it.',
    }),
    issuedOn: t.expose('issuedOn', {
      type: 'Date',
      nullable: true,
      authScopes: { documentation: true },
      description: 'Day of issue.',
    }),
    expiresOn: t.expose('expiresOn', {
      type: 'Date',
      nullable: true,
      authScopes: { documentation: true },
      description: 'Last day on which it is valid.',
    }),
    fileSize: t.exposeFloat('fileSize', {
      nullable: true,
      authScopes: { documentation: true },
      description: 'Bytes, a whole number.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'Timestamp',
      authScopes: { documentation: true },
      description: 'When it was recorded.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'Timestamp',
      authScopes: { documentation: true },
      description: 'When what is known of it last changed.',
    }),
  }),
});

const DocumentList = builder
  .objectRef<{ nodes: DocumentShape[]; completeness: CompletenessShape }>('DocumentList')
  .implement({
    description: 'All documents of an asset, newest issue first, and how complete they are.',
    fields: (t) => ({
      nodes: t.expose('nodes', { type: [Document], authScopes: { documentation: true } }),
      completeness: t.expose('completeness', {
        type: Completeness,
        authScopes: { documentation: true },
        extensions: { changesAt: 'midnight' },
      }),
    }),
  });

builder.queryField('documents', (t) =>
  t.field({
    type: DocumentList,
    authScopes: { documentation: true },
    complexity: { field: 5, multiplier: 10 },
    args: { clientId: t.arg.id({ required: true }), registryId: t.arg.string({ required: true }) },
    resolve: async (_root, { clientId, registryId }, context) => {
      const view = requireView(context, clientId);
      const found = visible(await byRegistryId(registryId, () => listDocuments(context.portfolio, view, registryId)));
      return { nodes: found.documents, completeness: found.completeness };
    },
  }),
);
