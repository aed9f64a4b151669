// Gateway: the certificate of an erasure: that it was done, when, and of how much; nothing of the person but an id.
import type { Sql } from '#database/database.ts';
import type { ErasedKind } from '#repositories/personal-data/erased-subjects.ts';
import { type KeySet, signValue, verifyFile } from '../signed-file.ts';

const TYPE = 'erasure-certificate+jws';

/** Instants are RFC 3339 in UTC with milliseconds. */
export interface Certificate {
  /** Origin of the deployment; null where its configuration names none. */
  issuer: string | null;
  subject: string;
  kind: ErasedKind;
  erased_at: string;
  /** Rows of the database by kind: calls in the archive are not among them. */
  counts: Record<string, number>;
  /** Until then partners may learn of the removals; null: nothing was left for them. */
  grants_end_at: string | null;
  /** The signed note of the log in which the erased entries are; null: nothing was appended to it yet. */
  checkpoint: string | null;
}

export interface SignedCertificate {
  certificate: Certificate;
  jws: string;
}

export const signCertificate = (sql: Sql, certificate: Certificate): Promise<string> =>
  signValue(sql, TYPE, certificate);

/** As a file, from what was kept. */
export function certificateOf(jws: string): SignedCertificate {
  const payload = jws.split('.')[1] ?? '';
  return { certificate: JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), jws };
}

/** Throws an Error that says what is wrong. */
export const verifyCertificate = (file: string, keys: KeySet): Promise<Certificate> =>
  verifyFile<Certificate>(file, keys, { type: TYPE, member: 'certificate', name: 'certificate of an erasure' });
