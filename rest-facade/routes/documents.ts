// REST facade: documents.
import { completeness, document } from '../examples.ts';
import { clientId } from '../parameters.ts';
import type { Route } from './route.ts';

export const documentRoutes: Route[] = [
  {
    operation: 'ListDocuments',
    document: 'documents',
    path: '/api/v1/assets/{registry_id}/documents',
    tag: 'Documents',
    summary: 'List documents of an asset',
    description:
      'Metadata of all documents of an asset, newest issue first, and how complete they are. File contents are never served.',
    parameters: [clientId],
    scope: 'documentation',
    envelope: 'none',
    paged: false,
    stamp: 'none',
    examples: [{ name: 'documents', summary: 'Documents and completeness', value: { data: [document], completeness } }],
  },
];
