// Gateway: the deployment's signing key, for consent receipts and the ledger's checkpoints.
import type { JsonWebKey } from 'node:crypto';
import { lazy } from '#core/lazy.ts';
import type { Sql } from '#database/database.ts';
import { addSigningKey, readSigningKey, type SigningKey } from '#repositories/signing-keys.ts';

export const ALGORITHM = 'EdDSA';

export const jose = lazy(() => import('jose'));

export async function makeKey(): Promise<SigningKey> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await jose();
  const pair = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const publicKey = (await exportJWK(pair.publicKey)) as JsonWebKey;
  const privateKey = (await exportJWK(pair.privateKey)) as JsonWebKey;
  return { id: await calculateJwkThumbprint(publicKey as never), publicKey, privateKey };
}

/** The present signing key. Creates the first one where there is none; of several created at once one is kept. */
export async function currentKey(sql: Sql): Promise<SigningKey> {
  const there = await readSigningKey(sql);
  if (there !== null) return there;
  await addSigningKey(sql, await makeKey());
  const made = await readSigningKey(sql);
  if (made === null) throw new Error('the signing key was removed while it was created');
  return made;
}
