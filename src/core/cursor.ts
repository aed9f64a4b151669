// Core: opaque positions in a walk, bound to the query they came from.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { Refusal } from './errors.ts';
import { sha256 } from './sha256.ts';

/** Where a walk stands; `page` is the number of the page that follows. */
export interface Position {
  page: number;
  /** The sort key of the last row seen. */
  after: string[];
  /** Delta sync only: what the first page saw, so that later pages keep to it. */
  sync?: WalkedSync;
}

/** What the first page of a delta walk said and saw. */
export interface WalkedSync {
  asOf: string;
  full: boolean;
  snapshot: string;
  /** Of the database: elsewhere, or after a restart, the snapshot means nothing. */
  epoch: string;
}

/** A short digest of what a cursor belongs to: the same walk has the same, any other query another. */
export function fingerprint(query: unknown): string {
  return hash('sha256', JSON.stringify(query), 'base64url').slice(0, 12);
}

/** Writes and reads cursors. `keys` says what each part of a sort key must look like. */
export interface Cursors {
  encode(position: Position, of: string): string;
  /** Throws Refusal `invalid_parameter` (param `cursor`) when it is not one, or belongs to another query. */
  decode(cursor: string, of: string, keys: readonly RegExp[]): Position;
}

/**
 * Cursors that tell their holders nothing: a sort key names items even where the scopes do not. Equal positions
 * are equal text, so that a page keeps its tag. All gateways of a deployment share the 32 bytes of `secret`.
 */
export function createCursors(secret: Buffer): Cursors {
  const derive = (use: string) => createHmac('sha256', secret).update(use).digest();
  // A key object: as plain bytes a key would be imported anew, at several times the cost of the cipher itself.
  const sealing = createSecretKey(derive('seal'));
  const naming = derive('nonce').toString('base64');
  return {
    encode(position, of) {
      const text = JSON.stringify({ of, ...position });
      // From the text itself: one nonce never serves two texts. And from a secret, so that nobody can try texts against it.
      const nonce = sha256(naming + text).subarray(0, NONCE);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
      const sealed = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url');
    },
    decode: (cursor, of, keys) => readPosition(unseal(cursor, sealing), of, keys),
  };
}

const NONCE = 12;
const TAG = 16;

/** Null for what was not sealed with the key. */
function unseal(text: string, key: KeyObject): string | null {
  const bytes = Buffer.from(text, 'base64url');
  // Node passes over whatever is not base64, and reads its other spellings.
  if (bytes.length <= NONCE + TAG || bytes.toString('base64url') !== text) return null;
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE), { authTagLength: TAG });
  cipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
  try {
    return Buffer.concat([cipher.update(bytes.subarray(NONCE + TAG)), cipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

function isSync(value: unknown): boolean {
  if (value === undefined) return true;
  const { asOf, full, snapshot, epoch } = value as Record<string, unknown>;
  return (
    typeof asOf === 'string' &&
    !Number.isNaN(Date.parse(asOf)) &&
    typeof full === 'boolean' &&
    typeof epoch === 'string' &&
    typeof snapshot === 'string' &&
    /^\d{1,20}:\d{1,20}:(\d{1,20}(,\d{1,20})*)?$/.test(snapshot)
  );
}

/** Throws Refusal `invalid_parameter`. Sealed by us or not, no text of another form reaches the database. */
function readPosition(text: string | null, of: string, keys: readonly RegExp[]): Position {
  const refusal = (message: string) => new Refusal('invalid_parameter', { message, param: 'cursor' });
  if (text === null) throw refusal('The cursor cannot be read.');
  const value = JSON.parse(text) as Record<string, unknown>;
  if (value.of !== of) throw refusal('The cursor belongs to another query; start again from the first page.');
  const { page, after, sync } = value;
  const sound =
    Number.isSafeInteger(page) &&
    (page as number) > 1 &&
    isTextList(after) &&
    after.length === keys.length &&
    after.every((part, index) => keys[index]?.test(part)) &&
    isSync(sync);
  if (!sound) throw refusal('The cursor cannot be read.');
  return value as unknown as Position;
}
