// Auth: the format of issued secrets, by which a mistyped or foreign one is refused without a database call.
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment, TokenKind } from '#core/principal.ts';
import { sha256 } from '#core/sha256.ts';

/** A new secret. The text is shown once and never stored; the other properties are. */
export interface NewSecret {
  text: string;
  /** SHA-256 of the text. */
  hash: Buffer;
  /** The first 12 characters and the last four, by which people recognise a key. */
  prefix: string;
  lastFour: string;
}

export interface KeySecret {
  environment: Environment;
  hash: Buffer;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const BODY_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH;

const KEY_PREFIXES: Record<Environment, string> = { sandbox: 'sk_test_', production: 'sk_live_' };
const TOKEN_PREFIXES: Record<TokenKind, string> = { plant: 'pt_', service: 'svc_' };

// Other vendors' keys have the same form. A checksum with our own seed distinguishes them.
const CHECKSUM_SEED = crc32('portico secret');

// The largest multiple of 62 in a byte. Accepting higher bytes would make the first characters more likely.
const FAIR_BYTES = 248;

const IS_BASE62 = new Uint8Array(128);
for (const character of ALPHABET) IS_BASE62[character.charCodeAt(0)] = 1;

export function makeKeySecret(environment: Environment): NewSecret {
  return newSecret(KEY_PREFIXES[environment]);
}

export function makeToken(kind: TokenKind): NewSecret {
  return newSecret(TOKEN_PREFIXES[kind]);
}

/** Null for text that is not in the format of our keys. Whether the key was ever issued is not checked. */
export function readKeySecret(text: string): KeySecret | null {
  if (isSound(text, KEY_PREFIXES.production)) return { environment: 'production', hash: hashSecret(text) };
  if (isSound(text, KEY_PREFIXES.sandbox)) return { environment: 'sandbox', hash: hashSecret(text) };
  return null;
}

/** The hash by which a token is looked up; null for text that is not in the format of this kind. */
export function readToken(kind: TokenKind, text: string): Buffer | null {
  return isSound(text, TOKEN_PREFIXES[kind]) ? hashSecret(text) : null;
}

export const hashSecret = (text: string): Buffer => sha256(text);

function newSecret(prefix: string): NewSecret {
  const unsealed = prefix + randomText(RANDOM_LENGTH);
  const text = unsealed + checksum(unsealed);
  return { text, hash: hashSecret(text), prefix: text.slice(0, 12), lastFour: text.slice(-4) };
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < FAIR_BYTES && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

function isSound(text: string, prefix: string): boolean {
  if (text.length !== prefix.length + BODY_LENGTH || !text.startsWith(prefix)) return false;
  for (let at = prefix.length; at < text.length; at++) {
    if (IS_BASE62[text.charCodeAt(at)] !== 1) return false;
  }
  return text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

function checksum(unsealed: string): string {
  let rest = crc32(unsealed, CHECKSUM_SEED);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
