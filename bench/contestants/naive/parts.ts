// Bench, naive: the types within an asset.
import type { completeness } from '../plain/store.ts';
import { builder, needs } from './builder.ts';
import type { DocumentRow, ShareLinkRow, ValuationRow } from './context.ts';

export interface MoneyShape {
  amount: string;
  currency: string;
}

export const Money = builder.objectRef<MoneyShape>('Money').implement({
  fields: (t) => ({
    amount: t.exposeString('amount', needs('valuation')),
    currency: t.exposeString('currency', needs('valuation')),
  }),
});

export const AssetCollection = builder.objectRef<{ id: string; name: string }>('AssetCollection').implement({
  fields: (t) => ({ id: t.exposeID('id', needs('detail')), name: t.exposeString('name', needs('detail')) }),
});

export const Completeness = builder.objectRef<ReturnType<typeof completeness>>('Completeness').implement({
  fields: (t) => ({
    score: t.exposeInt('score', needs('documentation')),
    present: t.exposeStringList('present', needs('documentation')),
    missing: t.exposeStringList('missing', needs('documentation')),
  }),
});

interface HeirShape {
  name: string;
  relationship?: string;
  share_percent?: number;
}

const Heir = builder.objectRef<HeirShape>('Heir').implement({
  fields: (t) => ({
    name: t.exposeString('name', needs('estate')),
    relationship: t.exposeString('relationship', needs('estate')),
    sharePercent: t.exposeFloat('share_percent', needs('estate')),
  }),
});

const ShareLink = builder.objectRef<ShareLinkRow>('ShareLink').implement({
  fields: (t) => ({
    id: t.exposeID('id', needs('estate')),
    label: t.exposeString('label', needs('estate')),
    createdAt: t.expose('createdAt', { type: 'Timestamp', ...needs('estate') }),
    expiresAt: t.expose('expiresAt', { type: 'Timestamp', ...needs('estate') }),
    active: t.boolean({
      ...needs('estate'),
      resolve: ({ expiresAt }) => expiresAt == null || expiresAt > new Date(),
    }),
  }),
});

interface ReadinessShape {
  score: number;
  missing: string[];
}

const Readiness = builder.objectRef<ReadinessShape>('Readiness').implement({
  fields: (t) => ({
    score: t.exposeInt('score', needs('estate')),
    missing: t.exposeStringList('missing', needs('estate')),
  }),
});

export interface EstateShape {
  id: string;
  heirs: HeirShape[];
  readiness: ReadinessShape | null;
}

export const Estate = builder.objectRef<EstateShape>('Estate').implement({
  fields: (t) => ({
    heirs: t.expose('heirs', { type: [Heir], ...needs('estate') }),
    shareLinks: t.field({
      type: [ShareLink],
      ...needs('estate'),
      resolve: ({ id }, _args, { shareLinks }) => shareLinks.load(id),
    }),
    readiness: t.expose('readiness', { type: Readiness, ...needs('estate') }),
  }),
});

interface ScanShape {
  scanned_at: string;
  method: string;
  result: string;
}

const Scan = builder.objectRef<ScanShape>('VerificationScan').implement({
  fields: (t) => ({
    scannedAt: t.expose('scanned_at', { type: 'Timestamp', ...needs('verification') }),
    method: t.exposeString('method', needs('verification')),
    result: t.exposeString('result', needs('verification')),
  }),
});

export interface VerificationShape {
  status: string;
  verified_at: string | null;
  risk_score: number | null;
  tamper_state: string | null;
  last_scan_at: string | null;
  scans: ScanShape[];
}

export const Verification = builder.objectRef<VerificationShape>('Verification').implement({
  fields: (t) => ({
    status: t.exposeString('status', needs('verification')),
    verifiedAt: t.expose('verified_at', { type: 'Timestamp', ...needs('verification') }),
    riskScore: t.exposeFloat('risk_score', needs('verification')),
    tamperState: t.exposeString('tamper_state', needs('verification')),
    lastScanAt: t.expose('last_scan_at', { type: 'Timestamp', ...needs('verification') }),
    scans: t.expose('scans', { type: [Scan], ...needs('verification') }),
  }),
});

export const Valuation = builder.objectRef<ValuationRow & { registryId: string }>('Valuation').implement({
  fields: (t) => ({
    id: t.exposeID('id', needs('valuation')),
    registryId: t.exposeString('registryId', needs('registry')),
    source: t.exposeString('source', needs('valuation')),
    value: t.field({ type: Money, ...needs('valuation'), resolve: ({ amount, currency }) => ({ amount, currency }) }),
    valuedAt: t.expose('valuedAt', { type: 'Timestamp', ...needs('valuation') }),
    appraiser: t.exposeString('appraiser', needs('valuation')),
    createdAt: t.expose('createdAt', { type: 'Timestamp', ...needs('valuation') }),
  }),
});

export const Document = builder.objectRef<DocumentRow & { registryId: string }>('Document').implement({
  fields: (t) => ({
    id: t.exposeID('id', needs('documentation')),
    registryId: t.exposeString('registryId', needs('registry')),
    type: t.exposeString('type', needs('documentation')),
    title: t.exposeString('title', needs('documentation')),
    issuer: t.exposeString('issuer', needs('documentation')),
    issuedOn: t.expose('issuedOn', { type: 'Date', ...needs('documentation') }),
    expiresOn: t.expose('expiresOn', { type: 'Date', ...needs('documentation') }),
    fileSize: t.float({
      ...needs('documentation'),
      resolve: ({ fileSize }) => (fileSize == null ? null : Number(fileSize)),
    }),
    createdAt: t.expose('createdAt', { type: 'Timestamp', ...needs('documentation') }),
    updatedAt: t.expose('updatedAt', { type: 'Timestamp', ...needs('documentation') }),
  }),
});
