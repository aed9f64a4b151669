// Core: verifies proofs of the ledger, in browsers and in Node, by WebCrypto only.

/** Base64 (RFC 4648, section 4) to bytes. Throws for other text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** As in JSON Web Keys and Signatures (RFC 4648, section 5). */
export const bytesOfBase64url = (base64url: string): Uint8Array<ArrayBuffer> =>
  bytesOf(base64url.replaceAll('-', '+').replaceAll('_', '/'));

export const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

export async function sha256(...parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

/** An unsigned number as eight bytes, big-endian. */
function bytesOfNumber(number: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

/**
 * The commitment that stands for an entry in the log: a hash over its salt, its number among the entries of its
 * subject, and the hash of its text. Without the salt nobody can test whether a text belongs to the entry.
 */
export const commitmentOf = async (salt: Uint8Array, number: number, text: string): Promise<Uint8Array> =>
  sha256(salt, bytesOfNumber(number), await sha256(new TextEncoder().encode(text)));

export const hashOfLeaf = (commitment: Uint8Array): Promise<Uint8Array> => sha256(LEAF, commitment);

/** The root computed from a leaf and its path, or null where the path has the wrong length (RFC 9162, 2.1.3.2). */
export async function rootFromInclusion(
  leaf: Uint8Array,
  { index, size, path }: { index: number; size: number; path: readonly Uint8Array[] },
): Promise<Uint8Array | null> {
  if (index < 0 || index >= size) return null;
  let [at, last] = [index, size - 1];
  let root = leaf;
  for (const sibling of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      root = await sha256(NODE, sibling, root);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      root = await sha256(NODE, root, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : null;
}

export interface Head {
  size: number;
  root: Uint8Array;
}

/** Whether the older tree is a prefix of the newer one (RFC 9162, 2.1.4.2). */
export async function isConsistent(older: Head, newer: Head, path: readonly Uint8Array[]): Promise<boolean> {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return path.length === 0 && isSame(older.root, newer.root);
  if (older.size === 0) return path.length === 0;
  let [at, last] = [older.size - 1, newer.size - 1];
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  // Where the size of the older tree is a power of two, the proof omits its root.
  const [first, ...rest] = at === 0 ? [older.root, ...path] : path;
  if (first === undefined) return false;
  let [before, after] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      before = await sha256(NODE, sibling, before);
      after = await sha256(NODE, sibling, after);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      after = await sha256(NODE, after, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && isSame(before, older.root) && isSame(after, newer.root);
}
