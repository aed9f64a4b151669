// Schema: the verification of an item's authenticity.
import { SCAN_METHODS, SCAN_RESULTS, TAMPER_STATES, VERIFICATION_STATUSES } from '#core/verification.ts';
import type { Verification as VerificationShape } from '#repositories/assets/asset-row.ts';
import { builder } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposing } from '../../exposed.ts';

const Scan = builder.objectRef<VerificationShape['scans'][number]>('VerificationScan').implement({
  description: 'A scan of the item.',
  fields: exposing('verification', {
    scanned_at: ['Timestamp', 'When.', { as: 'scannedAt' }],
    method: ['String', `${either(SCAN_METHODS)}.`],
    result: ['String', `${either(SCAN_RESULTS)}.`],
  }),
});

export const Verification = builder.objectRef<VerificationShape>('Verification').implement({
  description: 'Verification status and scan history.',
  fields: exposing('verification', {
    status: ['String', `${either(VERIFICATION_STATUSES)}.`],
    scans: [[Scan], 'Newest first.'],
    verified_at: ['Timestamp?', 'When the item was verified.', { as: 'verifiedAt' }],
    risk_score: ['Float?', '0 to 100, up to 2 decimals.', { as: 'riskScore' }],
    tamper_state: ['String?', `${either(TAMPER_STATES)}.`, { as: 'tamperState' }],
    last_scan_at: ['Timestamp?', 'When it was last scanned.', { as: 'lastScanAt' }],
  }),
});
