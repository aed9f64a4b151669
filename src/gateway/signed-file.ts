// Gateway: signed files: a readable object, and the JSON Web Signature of its JSON, which is authoritative.
import type { JsonWebKey } from 'node:crypto';
import type { Sql } from '#database/database.ts';
import { ALGORITHM, currentKey, jose } from './signing-key.ts';

/** A JSON Web Key Set (RFC 7517). */
export interface KeySet {
  keys: (JsonWebKey & { kid: string })[];
}

/** Compact (RFC 7515), with Ed25519 (RFC 8037). `type` is the header's `typ`. */
export async function signValue(sql: Sql, type: string, value: object): Promise<string> {
  const { CompactSign, importJWK } = await jose();
  const { id, privateKey } = await currentKey(sql);
  return new CompactSign(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: ALGORITHM, typ: type, kid: id })
    .sign(await importJWK(privateKey as never, ALGORITHM));
}

export interface FileForm {
  type: string;
  /** Name of the member with the readable object, beside `jws`. */
  member: string;
  /** Name of the file within a sentence. */
  name: string;
}

/**
 * The object of a file that one of these keys has signed. Throws an Error that says what is wrong: the file has another
 * form, the signature is invalid, or the readable part differs from what was signed.
 */
export async function verifyFile<Value>(file: string, keys: KeySet, form: FileForm): Promise<Value> {
  const { compactVerify, createLocalJWKSet, errors } = await jose();
  const { value, jws } = readFile(file, form);
  const keyOf = createLocalJWKSet(keys as never);
  const verified = await compactVerify(jws, keyOf, { algorithms: [ALGORITHM] }).catch((error: Error) => {
    if (error instanceof errors.JWKSNoMatchingKey) throw new Error('none of the published keys has signed it');
    throw new Error(`the signature is invalid: ${error.message}`);
  });
  if (verified.protectedHeader.typ !== form.type) throw new Error(`what was signed is not a ${form.name}`);
  const signed = new TextDecoder().decode(verified.payload);
  if (JSON.stringify(value) !== signed) throw new Error(`"${form.member}" differs from what was signed`);
  return value as Value;
}

function readFile(text: string, { member, name }: FileForm): { value: object; jws: string } {
  try {
    const { [member]: value, jws } = JSON.parse(text) as Record<string, unknown>;
    if (typeof value === 'object' && value !== null && typeof jws === 'string') return { value, jws };
  } catch {
    // Not JSON.
  }
  throw new Error(`it is not a ${name} (an object with "${member}" and "jws")`);
}
