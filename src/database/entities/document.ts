// Database: metadata of documents; the files themselves are elsewhere.
import { defineEntity, p } from '@mikro-orm/core';
import { P0, P1 } from './tier.ts';

export const Document = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    id: P1(p.text()).primary(),
    itemId: P1(p.text()),
    type: P1(p.text()),
    title: P1(p.text()).nullable(),
    issuer: P1(p.text()).nullable(),
    issuedOn: P1(p.date()).nullable(),
    expiresOn: P1(p.date()).nullable(),
    fileSize: P1(p.bigint()).nullable(),
    filePath: P0(p.text()).nullable(),
    createdAt: P1(p.datetime(3)),
    updatedAt: P1(p.datetime(3)),
  },
});
