// Core: the codes of an item's verification and of its scans.

export const VERIFICATION_STATUSES = ['unverified', 'pending', 'verified', 'failed'] as const;
export const TAMPER_STATES = ['intact', 'suspect', 'tampered', 'unknown'] as const;
export const SCAN_METHODS = ['nfc', 'qr', 'photo', 'manual'] as const;
export const SCAN_RESULTS = ['match', 'mismatch', 'inconclusive'] as const;
