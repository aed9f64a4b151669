// REST facade: bodies of area B: parses JSON with exact integers, and reads a plant.
import { Refusal } from '#core/errors.ts';
import { parseNumbers, readInt64 } from '#core/exact-json.ts';
import { isJsonObject } from '#core/json-object.ts';
import { MAX_NAME, MAX_TAG } from '#core/plant-limits.ts';
import { decodeUtf8 } from '#http/body.ts';

export interface NewPlant {
  /** Decimal text of an int64. */
  id: string;
  name: string;
  tag: string | null;
}

const invalid = (message: string) => new Refusal('invalid_body', { message });

/** A number literal as written: `1.0`, `1e2` and integers beyond 2^53 keep their text. */
class NumberLiteral {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function parseExact(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
  try {
    return parseNumbers(text, (_value, source) => new NumberLiteral(source));
  } catch {
    throw invalid('The body is not valid JSON.');
  }
}

function readText(value: unknown, name: string, min: number, max: number): string {
  if (typeof value !== 'string') throw invalid(`"${name}" is a string.`);
  const length = [...value].length;
  if (length < min || length > max) throw invalid(`"${name}" has ${min} to ${max} characters.`);
  if (value.includes('\0') || !value.isWellFormed()) throw invalid(`"${name}" holds characters that cannot be stored.`);
  return value;
}

/** Reads a NewPlant from the body; unknown members are ignored. Throws Refusal `invalid_body`. */
export function readNewPlant(bytes: Buffer): NewPlant {
  const body = parseExact(bytes);
  if (!isJsonObject(body) || body instanceof NumberLiteral) throw invalid('The body is a JSON object.');
  const { id, name, tag } = body;
  if (id === undefined) throw invalid('"id" is required.');
  if (name === undefined) throw invalid('"name" is required.');
  const exact = id instanceof NumberLiteral ? readInt64(id.text) : null;
  if (exact === null) throw invalid('"id" is a whole number of 64 bits, written without point or exponent.');
  return {
    id: exact,
    name: readText(name, 'name', 1, MAX_NAME),
    tag: tag === undefined ? null : readText(tag, 'tag', 0, MAX_TAG),
  };
}
