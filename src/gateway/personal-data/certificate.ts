// Gateway: the certificate of an erasure: when it was done, and how much was erased. The person is only an id in it.
import type { Sql } from '#database/database.ts';
import type { ErasedKind } from '#repositories/personal-data/erased-subjects.ts';
import { type KeySet, signValue, verifyFile } from '../signed-file.ts';

const TYPE = 'erasure-certificate+jws';

/** Instants are RFC 3339 in UTC with milliseconds. */
export interface Certificate {
  /** Origin of the deployment; null where it is not configured. */
  issuer: string | null;
  subject: string;
  kind: ErasedKind;
  erased_at: string;
  /** Deleted rows of the database by kind, without calls in the archive. */
  counts: Record<string, number>;
  /** Until when partners can learn of the removals; null: nothing was left for them. */
  grants_end_at: string | null;
  /** Signed note of the log with the erased entries; null: the log was empty. */
  checkpoint: string | null;
}

export interface SignedCertificate {
  certificate: Certificate;
  jws: string;
}

export const signCertificate = (sql: Sql, certificate: Certificate): Promise<string> =>
  signValue(sql, TYPE, certificate);

/** The certificate file, made from the stored signature. */
export function certificateOf(jws: string): SignedCertificate {
  const payload = jws.split('.')[1] ?? '';
  return { certificate: JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), jws };
}

/** Throws an Error that says what is wrong. */
export const verifyCertificate = (file: string, keys: KeySet): Promise<Certificate> =>
  verifyFile<Certificate>(file, keys, { type: TYPE, member: 'certificate', name: 'certificate of an erasure' });
