// Tools: streams the lines of a file in bounded memory.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { DirectoryError } from './faults.ts';

export interface Line {
  /** Starting at 1. */
  number: number;
  /** Null if the bytes are not valid text; `reason` says why. */
  text: string | null;
  reason?: string;
}

export interface Block {
  lines: Line[];
  /** Number of bytes read. */
  bytes: number;
}

const MAX_LINE = 1024 * 1024;

const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads the lines block by block. Blank lines are skipped but counted, a byte order mark at the start is ignored.
 * `longest` is in bytes. Throws a DirectoryError where the file cannot be read.
 */
export async function* readLines(path: string, longest = MAX_LINE): AsyncGenerator<Block> {
  const splitter = new Splitter(longest);
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) yield splitter.push(chunk);
  } catch (error) {
    throw new DirectoryError(`cannot read ${path}: ${(error as Error).message}`);
  }
  yield splitter.end();
}

class Splitter {
  /** Pieces of the unfinished line, joined once it ends. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Whether the present line is already too long: its bytes are dropped up to its end. */
  #dropping = false;
  #number = 0;
  #bytes = 0;
  readonly #longest: number;

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(chunk: Buffer): Block {
    this.#bytes += chunk.length;
    const end = chunk.lastIndexOf(NEWLINE);
    const lines = end < 0 ? [] : this.#takeWith(chunk.subarray(0, end));
    const rest = chunk.subarray(end + 1);
    if (rest.length > 0) this.#rest.push(rest);
    this.#restBytes += rest.length;
    if (this.#restBytes > this.#longest) {
      this.#dropping = true;
      this.#takeRest();
    }
    return { lines, bytes: this.#bytes };
  }

  end(): Block {
    const lines = this.#restBytes > 0 || this.#dropping ? this.#takeWith(Buffer.alloc(0)) : [];
    return { lines, bytes: this.#bytes };
  }

  #takeRest(): Buffer[] {
    const rest = this.#rest;
    this.#rest = [];
    this.#restBytes = 0;
    return rest;
  }

  #takeWith(bytes: Buffer): Line[] {
    const rest = this.#takeRest();
    return this.#take(rest.length === 0 ? bytes : Buffer.concat([...rest, bytes]));
  }

  /** Decodes whole lines, without the last newline. */
  #take(bytes: Buffer): Line[] {
    const lines = splitBytes(bytes).map((line) => this.#line(line));
    return lines.filter(({ text }) => text === null || text.trim() !== '');
  }

  #line(bytes: Buffer): Line {
    const number = ++this.#number;
    const isTooLong = this.#dropping || bytes.length > this.#longest;
    this.#dropping = false;
    if (isTooLong) return { number, text: null, reason: `is longer than ${this.#longest} bytes` };
    if (!isUtf8(bytes)) return { number, text: null, reason: 'is not valid UTF-8' };
    const text = bytes.toString();
    return { number, text: number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text };
  }
}

function splitBytes(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  lines.push(bytes.subarray(start));
  return lines;
}
