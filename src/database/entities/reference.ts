// Database: categories, document types, valuation sources and the settings of the deployment.
import { entity, p } from './entity.ts';
import { P0, P2 } from './tier.ts';

export const Category = entity('Category', 'categories', {
  code: P2(p.text()).primary(),
  name: P2(p.text()),
  fieldSchema: P2(p.json()),
  recommendedDocuments: P2(p.array()),
});

export const DocumentType = entity('DocumentType', 'document_types', {
  code: P2(p.text()).primary(),
  name: P2(p.text()),
});

export const ValuationSource = entity('ValuationSource', 'valuation_sources', {
  code: P2(p.text()).primary(),
  name: P2(p.text()),
});

export const Deployment = entity('Deployment', 'deployment', {
  singleton: P2(p.boolean()).primary(),
  platformPrefix: P2(p.text()),
  cursorKey: P0(p.blob()),
  portalSecret: P0(p.blob()),
  createdAt: P2(p.datetime(3)),
  id: P2(p.uuid()),
  place: P2(p.text()),
});
