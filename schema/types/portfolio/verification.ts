// Schema: the verification of an item's authenticity.
import type { Verification as VerificationShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';
import { exposed } from '../../exposed.ts';

const Scan = builder.objectRef<VerificationShape['scans'][number]>('VerificationScan').implement({
  description: 'A scan of the item.',
  fields: (t) => ({
    scannedAt: t.expose('scanned_at', { type: 'Timestamp', authScopes: { verification: true }, description: 'When.' }),
    ...exposed(t, 'verification', {
      method: ['String', 'nfc, qr, photo or manual.'],
      result: ['String', 'match, mismatch or inconclusive.'],
    }),
  }),
});

export const Verification = builder.objectRef<VerificationShape>('Verification').implement({
  description: 'Verification status and scan history.',
  fields: (t) => ({
    ...exposed(t, 'verification', {
      status: ['String', 'unverified, pending, verified or failed.'],
      scans: [[Scan], 'Newest first.'],
    }),
    verifiedAt: t.expose('verified_at', {
      type: 'Timestamp',
      nullable: true,
      authScopes: { verification: true },
      description: 'When the item was verified.',
    }),
    riskScore: t.exposeFloat('risk_score', {
      nullable: true,
      authScopes: { verification: true },
      description: '0 to 100, up to 2 decimals.',
    }),
    tamperState: t.exposeString('tamper_state', {
      nullable: true,
      authScopes: { verification: true },
      description: 'intact, suspect, tampered or unknown.',
    }),
    lastScanAt: t.expose('last_scan_at', {
      type: 'Timestamp',
      nullable: true,
      authScopes: { verification: true },
      description: 'When it was last scanned.',
    }),
  }),
});
