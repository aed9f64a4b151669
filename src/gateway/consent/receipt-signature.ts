// Gateway: the signature of consent receipts: a JSON Web Signature (RFC 7515) with Ed25519 (RFC 8037).
import type { JsonWebKey } from 'node:crypto';
import { lazy } from '#core/lazy.ts';
import type { Database, Sql } from '#database/database.ts';
import {
  addSigningKey,
  listPublishedKeys,
  readSigningKey,
  replaceSigningKey,
  type SigningKey,
} from '#repositories/signing-keys.ts';
import type { Receipt } from './receipt.ts';

const ALGORITHM = 'EdDSA';
const TYPE = 'consent-receipt+jws';

/** What people are given as a file. `jws` is what counts: compact, its payload the receipt; `receipt` is there to be read. */
export interface SignedReceipt {
  receipt: Receipt;
  jws: string;
}

/** A JSON Web Key Set (RFC 7517). */
export interface KeySet {
  keys: (JsonWebKey & { kid: string })[];
}

const jose = lazy(() => import('jose'));

async function makeKey(): Promise<SigningKey> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await jose();
  const pair = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const publicKey = (await exportJWK(pair.publicKey)) as JsonWebKey;
  const privateKey = (await exportJWK(pair.privateKey)) as JsonWebKey;
  return { id: await calculateJwkThumbprint(publicKey as never), publicKey, privateKey };
}

/** The key that signs: the deployment's first, where there has been none; of several made at once one stays. */
async function currentKey(sql: Sql): Promise<SigningKey> {
  const there = await readSigningKey(sql);
  if (there !== null) return there;
  await addSigningKey(sql, await makeKey());
  const made = await readSigningKey(sql);
  if (made === null) throw new Error('the key that signs receipts was removed while it was made');
  return made;
}

export async function signReceipt(sql: Sql, receipt: Receipt): Promise<SignedReceipt> {
  const { CompactSign, importJWK } = await jose();
  const { id, privateKey } = await currentKey(sql);
  const jws = await new CompactSign(new TextEncoder().encode(JSON.stringify(receipt)))
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
    .sign(await importJWK(privateKey as never, ALGORITHM));
  return { receipt, jws };
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
export async function verifyReceipt(file: string, keys: KeySet): Promise<Receipt> {
  const { compactVerify, createLocalJWKSet, errors } = await jose();
  const { receipt, jws } = readFile(file);
  const keyOf = createLocalJWKSet(keys as never);
  const verified = await compactVerify(jws, keyOf, { algorithms: [ALGORITHM] }).catch((error: Error) => {
    if (error instanceof errors.JWKSNoMatchingKey) throw new Error('none of the published keys has signed it');
    throw new Error(`the signature does not hold: ${error.message}`);
  });
  if (verified.protectedHeader.typ !== TYPE) throw new Error('what was signed is no consent receipt');
  const signed = new TextDecoder().decode(verified.payload);
  if (JSON.stringify(receipt) !== signed) throw new Error('"receipt" differs from what was signed');
  return receipt;
}

function readFile(text: string): SignedReceipt {
  try {
    const { receipt, jws } = JSON.parse(text) as Partial<SignedReceipt>;
    if (typeof receipt === 'object' && typeof jws === 'string') return { receipt, jws };
  } catch {
    // It is no JSON at all.
  }
  throw new Error('it is no consent receipt: an object with "receipt" and "jws"');
}
