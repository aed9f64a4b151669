// REST facade: bodies of area B: bytes to JSON with exact integers, JSON to a plant.
import type { IncomingMessage } from 'node:http';
import { Refusal } from '#core/errors.ts';
import { MAX_BODY } from '#http/exchange.ts';

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

export interface NewPlant {
  /** Decimal text of an int64. */
  id: string;
  name: string;
  tag: string | null;
}

const invalid = (message: string) => new Refusal('invalid_body', { message });

/** Throws Refusal `unsupported_media_type` unless the body is declared as JSON (in UTF-8, where it says so). */
export function requireJson(contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  if (type !== 'application/json' || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8'))
    throw new Refusal('unsupported_media_type');
}

/** Reads the whole body. Throws Refusal `payload_too_large` as soon as it is known to be. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new Refusal('payload_too_large', { message: `A body has at most ${MAX_BODY} bytes.` });
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_BODY) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Number literals as they were written: `1.0`, `1e2` and integers beyond 2^53 keep their text. */
class NumberLiteral {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type SourceReviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;
const parseJson = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

function parseExact(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8.');
  }
  try {
    return parseJson(text, (_key, value, { source = '' }) =>
      typeof value === 'number' ? new NumberLiteral(source) : value,
    );
  } catch {
    throw invalid('The body is not valid JSON.');
  }
}

/** An int64 in decimal, or null: no sign but minus, no leading zeros, no fraction, no exponent. */
export function readInt64(text: string): string | null {
  if (!/^-?(?:0|[1-9]\d{0,18})$/.test(text)) return null;
  const value = BigInt(text);
  return value >= MIN_INT64 && value <= MAX_INT64 ? String(value) : null;
}

function readText(value: unknown, name: string, least: number, most: number): string {
  if (typeof value !== 'string') throw invalid(`"${name}" is a string.`);
  const length = [...value].length;
  if (length < least || length > most) throw invalid(`"${name}" has ${least} to ${most} characters.`);
  if (value.includes('\0') || !value.isWellFormed()) throw invalid(`"${name}" holds characters that cannot be stored.`);
  return value;
}

/** A NewPlant from the body's bytes; members it does not know are ignored. Throws Refusal `invalid_body`. */
export function readNewPlant(bytes: Buffer): NewPlant {
  const body = parseExact(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof NumberLiteral)
    throw invalid('The body is a JSON object.');
  const { id, name, tag } = body as Record<string, unknown>;
  if (id === undefined) throw invalid('"id" is required.');
  if (name === undefined) throw invalid('"name" is required.');
  const exact = id instanceof NumberLiteral ? readInt64(id.text) : null;
  if (exact === null) throw invalid('"id" is a whole number of 64 bits, written without point or exponent.');
  return {
    id: exact,
    name: readText(name, 'name', 1, 200),
    tag: tag === undefined ? null : readText(tag, 'tag', 0, 100),
  };
}
