// Core: opaque positions in a paged list, bound to the query they came from.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { Refusal } from './errors.ts';
import { sha256 } from './sha256.ts';

/** A position in a paged list. `page` is the number of the next page. */
export interface Position {
  page: number;
  /** The sort key of the last row seen. */
  after: string[];
  /** Delta sync only: what the first page saw. Later pages use the same snapshot. */
  sync?: WalkedSync;
}

/** What the first page of a delta sync reported and saw. */
export interface WalkedSync {
  asOf: string;
  full: boolean;
  snapshot: string;
  /** The epoch of the database. In another epoch the snapshot is meaningless. */
  epoch: string;
}

/** A short digest of the query that a cursor belongs to. Equal queries have equal digests. */
export function fingerprint(query: unknown): string {
  return hash('sha256', JSON.stringify(query), 'base64url').slice(0, 12);
}

/** Writes and reads cursors. `keys` gives the pattern of each part of the sort key. */
export interface Cursors {
  encode(position: Position, of: string): string;
  /** Throws Refusal `invalid_parameter` (param `cursor`) when the text is no cursor, or belongs to another query. */
  decode(cursor: string, of: string, keys: readonly RegExp[]): Position;
}

/**
 * Cursors are encrypted, because a sort key identifies items even where the scopes do not reveal them. Equal positions
 * give equal text, so that a page keeps its ETag. All gateways of a deployment share the 32 bytes of `secret`.
 */
export function createCursors(secret: Buffer): Cursors {
  const derive = (use: string) => createHmac('sha256', secret).update(use).digest();
  // A KeyObject, because plain bytes would be imported for each call, at several times the cost of the cipher itself.
  const sealing = createSecretKey(derive('seal'));
  const naming = derive('nonce').toString('base64');
  return {
    encode(position, of) {
      const text = JSON.stringify({ of, ...position });
      // The nonce is derived from the text, so that no nonce is used for two texts, and from a secret, so that nobody
      // can test guessed texts against it.
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

/** Null for text that was not sealed with this key. */
function unseal(text: string, key: KeyObject): string | null {
  const bytes = Buffer.from(text, 'base64url');
  // Node skips characters outside base64 and accepts other spellings. Only the canonical form is valid here.
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

/** Throws Refusal `invalid_parameter`. Even sealed text is checked, so that no other form reaches the database. */
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
