// Repositories: the signing keys of consent receipts: the active one, and retired ones.
import type { JsonWebKey } from 'node:crypto';
import type { Database, Sql } from '#database/database.ts';
import { findRow } from '#database/rows.ts';

export interface SigningKey {
  /** Thumbprint of the public key (RFC 7638). */
  id: string;
  publicKey: JsonWebKey;
  privateKey: JsonWebKey;
}

export interface PublishedKey {
  id: string;
  publicKey: JsonWebKey;
  createdAt: string;
  /** When it was retired; null for the active one. */
  retiredAt: string | null;
}

/** The active key; null if there has never been one. */
export function readSigningKey(sql: Sql): Promise<SigningKey | null> {
  const text = `select id, public_key as "publicKey", private_key as "privateKey" from signing_keys where retired_at is null`;
  return findRow(sql, { text });
}

/** All keys that may have signed a receipt, newest first. */
export function listPublishedKeys(sql: Sql): Promise<PublishedKey[]> {
  const text = `select id, public_key as "publicKey", created_at as "createdAt", retired_at as "retiredAt"
    from signing_keys order by retired_at desc nulls first, id`;
  return sql.query<PublishedKey>({ text });
}

const INSERT = `insert into signing_keys (id, public_key, private_key) values ($1, $2, $3)`;
const values = ({ id, publicKey, privateKey }: SigningKey) => [
  id,
  JSON.stringify(publicKey),
  JSON.stringify(privateKey),
];

/** Makes this key the active one, unless there is one already. */
export async function addSigningKey(sql: Sql, key: SigningKey): Promise<void> {
  await sql.query({ text: `${INSERT} on conflict do nothing`, values: values(key) });
}

/** Makes this key the active one. The previous one is kept for verification, without its private part. */
export async function replaceSigningKey(database: Database, key: SigningKey): Promise<void> {
  await database.transaction(async (sql) => {
    // Of two rotations at once, the second must retire the key of the first.
    await sql.query({ text: 'lock table signing_keys in share row exclusive mode' });
    const text = 'update signing_keys set private_key = null, retired_at = now() where retired_at is null';
    await sql.query({ text });
    await sql.query({ text: INSERT, values: values(key) });
  });
}
