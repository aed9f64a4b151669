// Gateway: the signature of consent receipts: a JSON Web Signature (RFC 7515) with Ed25519 (RFC 8037).
import type { Database, Sql } from '#database/database.ts';
import { firmIdentityAt } from '#repositories/firm-identities.ts';
import { listPublishedKeys, replaceSigningKey } from '#repositories/signing-keys.ts';
import { type KeySet, signValue, verifyFile } from '../signed-file.ts';
import { ALGORITHM, currentKey, makeKey } from '../signing-key.ts';
import { type Receipt, receiptOf, type ShownStep } from './receipt.ts';

const TYPE = 'consent-receipt+jws';

/** What people are given as a file. `jws` is what counts: compact, its payload the receipt; `receipt` is there to be read. */
export interface SignedReceipt {
  receipt: Receipt;
  jws: string;
}

export type { KeySet };

export async function signReceipt(sql: Sql, receipt: Receipt): Promise<SignedReceipt> {
  return { receipt, jws: await signValue(sql, TYPE, receipt) };
}

/** The receipt for a step, signed; `issuer`: origin of this gateway. */
export async function signedReceiptOf(sql: Sql, step: ShownStep, issuer: string | null): Promise<SignedReceipt> {
  const controller = await firmIdentityAt(sql, step.grant.firmId, step.event.at);
  return signReceipt(sql, receiptOf(step, { issuer, controller }));
}

/** Has receipts signed with a new key from now on. Returns its id. */
export async function rotateSigningKey(database: Database): Promise<string> {
  const key = await makeKey();
  await replaceSigningKey(database, key);
  return key.id;
}

/** The public keys of all receipts, those of replaced keys included. It holds the key of the first receipt before that is signed. */
export async function readKeySet(sql: Sql): Promise<KeySet> {
  await currentKey(sql);
  const keys = await listPublishedKeys(sql);
  return {
    keys: keys.map(({ id, publicKey }) => ({ ...publicKey, kid: id, alg: ALGORITHM, use: 'sig' })),
  };
}

/**
 * The receipt of a file, where one of these keys has signed it. Throws an Error that says what is wrong: it is no such file,
 * the signature is another's, or the part that is there to be read differs from what was signed.
 */
export const verifyReceipt = (file: string, keys: KeySet): Promise<Receipt> =>
  verifyFile<Receipt>(file, keys, { type: TYPE, member: 'receipt', name: 'consent receipt' });
