// Gateway: the signature of consent receipts: a JSON Web Signature (RFC 7515) with Ed25519 (RFC 8037).
import type { Database, Sql } from '#database/database.ts';
import { firmIdentityAt } from '#repositories/firm-identities.ts';
import { listPublishedKeys, replaceSigningKey } from '#repositories/signing-keys.ts';
import { type KeySet, signValue, verifyFile } from '../signed-file.ts';
import { ALGORITHM, currentKey, makeKey } from '../signing-key.ts';
import { type Receipt, receiptOf, type ShownStep } from './receipt.ts';

const TYPE = 'consent-receipt+jws';

/** A receipt as a file. `jws` (compact) is authoritative, with the receipt as its payload; `receipt` is for reading. */
export interface SignedReceipt {
  receipt: Receipt;
  jws: string;
}

export type { KeySet };

export async function signReceipt(sql: Sql, receipt: Receipt): Promise<SignedReceipt> {
  return { receipt, jws: await signValue(sql, TYPE, receipt) };
}

/** The signed receipt of a step. `issuer` is this gateway's origin. */
export async function signedReceiptOf(sql: Sql, step: ShownStep, issuer: string | null): Promise<SignedReceipt> {
  const controller = await firmIdentityAt(sql, step.grant.firmId, step.event.at);
  return signReceipt(sql, receiptOf(step, { issuer, controller }));
}

/** Makes a new key that signs receipts from now on. Returns its id. */
export async function rotateSigningKey(database: Database): Promise<string> {
  const key = await makeKey();
  await replaceSigningKey(database, key);
  return key.id;
}

/** The public keys of all receipts, including replaced ones. Makes the first key before any receipt is signed. */
export async function readKeySet(sql: Sql): Promise<KeySet> {
  await currentKey(sql);
  const keys = await listPublishedKeys(sql);
  return {
    keys: keys.map(({ id, publicKey }) => ({ ...publicKey, kid: id, alg: ALGORITHM, use: 'sig' })),
  };
}

/**
 * The receipt in a file that one of these keys has signed. Throws an Error that says what is wrong: the file has
 * another form, the signature is invalid, or the readable part differs from what was signed.
 */
export const verifyReceipt = (file: string, keys: KeySet): Promise<Receipt> =>
  verifyFile<Receipt>(file, keys, { type: TYPE, member: 'receipt', name: 'consent receipt' });
