// Database: categories, document types, valuation sources and the settings of the deployment.
import { defineEntity, p } from '@mikro-orm/core';
import { P0, P2 } from './tier.ts';

export const Category = defineEntity({
  name: 'Category',
  tableName: 'categories',
  properties: {
    code: P2(p.text()).primary(),
    name: P2(p.text()),
    fieldSchema: P2(p.json()),
    recommendedDocuments: P2(p.array()),
  },
});

export const DocumentType = defineEntity({
  name: 'DocumentType',
  tableName: 'document_types',
  properties: { code: P2(p.text()).primary(), name: P2(p.text()) },
});

export const ValuationSource = defineEntity({
  name: 'ValuationSource',
  tableName: 'valuation_sources',
  properties: { code: P2(p.text()).primary(), name: P2(p.text()) },
});

export const Deployment = defineEntity({
  name: 'Deployment',
  tableName: 'deployment',
  properties: {
    singleton: P2(p.boolean()).primary(),
    platformPrefix: P2(p.text()),
    cursorKey: P0(p.blob()),
    portalSecret: P0(p.blob()),
    createdAt: P2(p.datetime(3)),
    id: P2(p.uuid()),
    place: P2(p.text()),
  },
});
