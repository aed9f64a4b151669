// Database: metadata of documents. The files are stored elsewhere.
import { defineEntity } from '@mikro-orm/core';
import { DOCUMENT_FIELDS } from '#core/fields/document.ts';
import { propertiesOf } from './columns.ts';

export const Document = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: propertiesOf(DOCUMENT_FIELDS),
});
