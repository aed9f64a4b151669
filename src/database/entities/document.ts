// Database: metadata of documents. The files are stored elsewhere.
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { propertiesOf } from './columns.ts';
import { entity } from './entity.ts';

export const Document = entity('Document', 'documents', propertiesOf(DOCUMENT_FIELDS));
