// Core: witnesses of the ledger, as configured, and the body of a request to one (C2SP tlog-witness).
import { hash } from 'node:crypto';

export interface Witness {
  /** The name in the witness's cosignatures. */
  name: string;
  /** Its verifier key (C2SP signed-note), of the type for Ed25519 cosignatures (C2SP tlog-cosignature). */
  key: string;
  /** Base URL, without `/add-checkpoint`. */
  url: string;
}

const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const COSIGNATURE = 0x04;
const KEY_BYTES = 33;

/** Reads a verifier key and a URL, separated by a blank. For invalid text, returns what is wrong. */
export function readWitness(text: string): Witness | string {
  const [key = '', url = '', ...rest] = text.split(/\s+/);
  const [, name, id, encoded = ''] = VERIFIER_KEY.exec(key) ?? [];
  if (name === undefined || rest.length > 0) return 'not NAME+ID+KEY and a URL, separated by a space';
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes[0] !== COSIGNATURE || bytes.length !== KEY_BYTES)
    return `the key of ${name} is not an Ed25519 key for cosignatures`;
  if (hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), bytes]), 'hex').slice(0, 8) !== id)
    return `the id of the key of ${name} does not match the key: check for a typing error`;
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol) || parsed.search !== '' || parsed.hash !== '')
    return `the URL of ${name} does not begin with https:// or http://`;
  return { name, key, url: url.replace(/\/$/, '') };
}

/** The body of a request for a cosignature: a proof that the log the witness saw is a prefix, and the checkpoint. */
export const submissionText = (old: number, proof: readonly Uint8Array[], checkpoint: string): string =>
  `old ${old}\n${proof.map((bytes) => `${Buffer.from(bytes).toString('base64')}\n`).join('')}\n${checkpoint}`;
