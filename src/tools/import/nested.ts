// Tools: objects within an asset's row: heirs, share links, readiness and verification, stored in the form in which
// they are served.
import { SCAN_METHODS, SCAN_RESULTS, TAMPER_STATES, VERIFICATION_STATUSES } from '#core/verification.ts';
import {
  creationOf,
  decimalNumber,
  id,
  list,
  name,
  object,
  oneOf,
  type Reader,
  text,
  timestamp,
  Wrong,
  wholeNumber,
} from './readers.ts';

export const heirs = list(
  object({
    name: { read: name, required: true },
    relationship: { read: text },
    share_percent: { read: decimalNumber(100, 2) },
  }),
);

const shareLink = object({
  id: { read: id('share_link'), required: true },
  label: { read: text },
  token: { read: text },
  created_at: { read: timestamp },
  expires_at: { read: timestamp },
});

export const shareLinks: Reader = (value) => {
  const links = list(shareLink)(value);
  if (links instanceof Wrong) return links;
  return (links as { id: string; created_at: string | null }[]).map((link) => ({
    ...link,
    created_at: link.created_at ?? creationOf(link.id),
  }));
};

export const readiness = object({
  score: { read: wholeNumber(0, 100) },
  missing: { read: list(text), absent: [] },
});

const scan = object({
  scanned_at: { read: timestamp, required: true },
  method: { read: oneOf(SCAN_METHODS), required: true },
  result: { read: oneOf(SCAN_RESULTS), required: true },
});

const newestFirst = (a: { scanned_at: string }, b: { scanned_at: string }) =>
  a.scanned_at < b.scanned_at ? 1 : a.scanned_at > b.scanned_at ? -1 : 0;

const scans: Reader = (value) => {
  const read = list(scan)(value);
  return read instanceof Wrong ? read : (read as { scanned_at: string }[]).sort(newestFirst);
};

export const verification = object({
  status: { read: oneOf(VERIFICATION_STATUSES), absent: 'unverified' },
  verified_at: { read: timestamp },
  risk_score: { read: decimalNumber(100, 2) },
  tamper_state: { read: oneOf(TAMPER_STATES) },
  last_scan_at: { read: timestamp },
  scans: { read: scans, absent: [] },
});
