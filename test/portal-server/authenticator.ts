// A device that holds a passkey, and can be told to answer as no honest device would.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { sha256 } from '#core/sha256.ts';

/** What of an answer differs from an honest one. */
export interface Lie {
  type?: string;
  challenge?: string;
  origin?: string;
  rpId?: string;
  present?: boolean;
  verified?: boolean;
  /** The key that signs. */
  signer?: KeyObject;
}

const [PRESENT, VERIFIED, HAS_CREDENTIAL] = [0x01, 0x04, 0x40];

export class Authenticator {
  readonly #origin: string;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(16);
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The response to a challenge for a new passkey, as JSON. */
  create(challenge: string, lie: Lie = {}): string {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    // COSE: an elliptic curve key for ES256, on P-256.
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytesOf(x)],
      [-3, bytesOf(y)],
    ]);
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.of(0, this.#id.length), this.#id, cbor(key)]);
    const authData = new Uint8Array(Buffer.concat([this.#data(lie, HAS_CREDENTIAL), credential]));
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    const clientDataJSON = this.#clientData('webauthn.create', challenge, lie).toString('base64url');
    return this.#answer({ clientDataJSON, attestationObject: cbor(attestation).toString('base64url') });
  }

  /** The response to a challenge for a sign-in, as JSON. */
  get(challenge: string, lie: Lie = {}): string {
    this.#counter += 1;
    const data = this.#data(lie);
    const clientData = this.#clientData('webauthn.get', challenge, lie);
    const signed = Buffer.concat([data, sha256(clientData)]);
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, lie.signer ?? this.#keys.privateKey).toString('base64url'),
    });
  }

  #data({ rpId, present = true, verified = true }: Lie, flags = 0): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    const flag = flags | (present ? PRESENT : 0) | (verified ? VERIFIED : 0);
    return Buffer.concat([sha256(rpId ?? new URL(this.#origin).hostname), Buffer.of(flag), counter]);
  }

  #clientData(honest: string, challenge: string, lie: Lie): Buffer {
    const { type = honest, origin = this.#origin } = lie;
    return Buffer.from(JSON.stringify({ type, challenge: lie.challenge ?? challenge, origin, crossOrigin: false }));
  }

  #answer(response: Record<string, string>): string {
    const id = this.#id.toString('base64url');
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} });
  }
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64url'));

const cbor = (value: unknown): Buffer => Buffer.from(isoCBOR.encode(value as never));
