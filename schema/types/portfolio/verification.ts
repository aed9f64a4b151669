// Schema: the verification of an item's authenticity.
import type { Verification as VerificationShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

const Scan = builder.objectRef<VerificationShape['scans'][number]>('VerificationScan').implement({
  description: 'A scan of the item.',
  fields: exposing('verification', {
    scanned_at: ['Timestamp', 'When.', { as: 'scannedAt' }],
    method: ['String', 'nfc, qr, photo or manual.'],
    result: ['String', 'match, mismatch or inconclusive.'],
  }),
});

export const Verification = builder.objectRef<VerificationShape>('Verification').implement({
  description: 'Verification status and scan history.',
  fields: exposing('verification', {
    status: ['String', 'unverified, pending, verified or failed.'],
    scans: [[Scan], 'Newest first.'],
    verified_at: ['Timestamp?', 'When the item was verified.', { as: 'verifiedAt' }],
    risk_score: ['Float?', '0 to 100, up to 2 decimals.', { as: 'riskScore' }],
    tamper_state: ['String?', 'intact, suspect, tampered or unknown.', { as: 'tamperState' }],
    last_scan_at: ['Timestamp?', 'When it was last scanned.', { as: 'lastScanAt' }],
  }),
});
