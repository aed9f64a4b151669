// Core: checkpoints of the ledger: signed notes (C2SP signed-note) of origin, size and root (C2SP tlog-checkpoint).
import { base64Of, bytesOf, bytesOfBase64url, type Head, isSame, sha256 } from './proofs.ts';

/** Signature types: the log's own, and a witness's cosignature with the time of signing (C2SP tlog-cosignature). */
const ED25519 = 0x01;
const COSIGNATURE = 0x04;
const ID_BYTES = 4;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
const MAX_SIGNATURES = 64;

export interface Checkpoint extends Head {
  origin: string;
}

/** The public part of an Ed25519 key as a JSON Web Key (RFC 8037). */
export interface PublicKey {
  kty?: string | undefined;
  crv?: string | undefined;
  x?: string | undefined;
}

export interface Cosignature {
  name: string;
  /** Unix seconds. */
  at: number;
  /** The line as in the note, without its line break. */
  line: string;
}

interface Signature {
  name: string;
  id: Uint8Array;
  bytes: Uint8Array<ArrayBuffer>;
  line: string;
}

export const checkpointText = (origin: string, { size, root }: Head): string =>
  `${origin}\n${size}\n${base64Of(root)}\n`;

const keyBytes = ({ x = '' }: PublicKey): Uint8Array => bytesOfBase64url(x);

const keyId = async (name: string, kind: number, key: Uint8Array): Promise<Uint8Array> =>
  (await sha256(new TextEncoder().encode(`${name}\n`), Uint8Array.of(kind), key)).slice(0, ID_BYTES);

/** The note of a text with the log's signature. */
export async function signedNote(
  name: string,
  text: string,
  { key, signature }: { key: PublicKey; signature: Uint8Array },
): Promise<string> {
  const id = await keyId(name, ED25519, keyBytes(key));
  return `${text}\n— ${name} ${base64Of(Uint8Array.of(...id, ...signature))}\n`;
}

/** The verifier key: name, id, and type with key. */
export async function verifierKey(name: string, key: PublicKey): Promise<string> {
  const id = [...(await keyId(name, ED25519, keyBytes(key)))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return `${name}+${id}+${base64Of(Uint8Array.of(ED25519, ...keyBytes(key)))}`;
}

function readNote(note: string): { text: string; signatures: Signature[] } {
  const end = note.lastIndexOf('\n\n');
  if (end === -1 || !note.endsWith('\n')) throw new Error('it is not a signed note');
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw new Error('it has too many signatures');
  const signatures = lines.map((line) => {
    const [, name, base64] = /^— ([^\s+]+) ([A-Za-z0-9+/]+=*)$/.exec(line) ?? [];
    if (name === undefined || base64 === undefined) throw new Error('it is not a signed note');
    const bytes = bytesOf(base64);
    return { name, id: bytes.slice(0, ID_BYTES), bytes: bytes.slice(ID_BYTES), line };
  });
  return { text: note.slice(0, end + 1), signatures };
}

function readText(text: string): Checkpoint {
  const [origin, size, root] = text.split('\n');
  if (!origin || size === undefined || !/^(0|[1-9]\d{0,15})$/.test(size) || root === undefined)
    throw new Error('it is not a checkpoint (origin, size and root)');
  const bytes = bytesOf(root);
  if (bytes.length !== 32) throw new Error('the root of the checkpoint is not a SHA-256 hash');
  return { origin, size: Number(size), root: bytes };
}

/** Reads a checkpoint without checking its signatures. Throws an Error that says what is wrong. */
export const readCheckpoint = (note: string): Checkpoint => readText(readNote(note).text);

/**
 * Reads a checkpoint that one of these keys has signed for the log that it names. An invalid signature under the name
 * and id of one of the keys makes it void. Throws an Error that says what is wrong.
 */
export async function verifyCheckpoint(note: string, keys: readonly PublicKey[]): Promise<Checkpoint> {
  const { text, signatures } = readNote(note);
  const checkpoint = readText(text);
  let isSigned = false;
  for (const key of keys) {
    if (key.kty !== 'OKP' || key.crv !== 'Ed25519') continue;
    const id = await keyId(checkpoint.origin, ED25519, keyBytes(key));
    for (const { name, id: given, bytes } of signatures) {
      if (name !== checkpoint.origin || !isSame(id, given)) continue;
      if (!(await holds(key, bytes, text))) throw new Error('the signature of the checkpoint is invalid');
      isSigned = true;
    }
  }
  if (!isSigned) throw new Error('none of the published keys has signed the checkpoint');
  return checkpoint;
}

/** The checkpoint's cosignatures by this witness, given as C2SP verifier key. Throws where one is invalid. */
export async function cosignaturesOf(note: string, witness: string): Promise<Cosignature[]> {
  const { text, signatures } = readNote(note);
  const [, name = '', encoded = ''] = /^([^\s+]+)\+[0-9a-f]{8}\+(.+)$/.exec(witness) ?? [];
  const [kind, ...key] = bytesOf(encoded);
  if (kind !== COSIGNATURE || key.length !== 32) throw new Error(`${witness} is not the verifier key of a witness`);
  const id = await keyId(name, COSIGNATURE, Uint8Array.from(key));
  const x = base64Of(Uint8Array.from(key)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const found: Cosignature[] = [];
  for (const { name: signer, id: given, bytes, line } of signatures) {
    if (signer !== name || !isSame(id, given)) continue;
    if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) throw new Error(`the cosignature of ${name} is invalid`);
    const at = Number(new DataView(bytes.buffer).getBigUint64(0));
    const signed = `cosignature/v1\ntime ${at}\n${text}`;
    if (!(await holds({ kty: 'OKP', crv: 'Ed25519', x }, bytes.slice(TIME_BYTES), signed)))
      throw new Error(`the cosignature of ${name} is invalid`);
    found.push({ name, at, line });
  }
  return found;
}

/** Whether the key has signed the text. Rejects where the key or Ed25519 is not supported. */
export async function holds(
  { kty, crv, x }: PublicKey,
  signature: Uint8Array<ArrayBuffer>,
  text: string,
): Promise<boolean> {
  const jwk = { kty, crv, x } as JsonWebKey;
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, signature, new TextEncoder().encode(text));
}
