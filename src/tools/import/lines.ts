// Tools: the lines of a file, as a stream in bounded memory.
import { createReadStream } from 'node:fs';

export interface Line {
  /** From 1. */
  number: number;
  /** Null where the bytes are no text that can be read; `reason` says why. */
  text: string | null;
  reason?: string;
}

export interface Block {
  lines: Line[];
  /** Read so far. */
  bytes: number;
}

const MAX_LINE = 1024 * 1024;

const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;
const NOT_UTF8 = 'is not valid UTF-8';

/**
 * Reads the lines block by block; blank ones are left out but counted, a byte order mark at the start is passed over.
 * `longest` is in bytes.
 */
export async function* readLines(path: string, longest = MAX_LINE): AsyncGenerator<Block> {
  const splitter = new Splitter(longest);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) yield splitter.push(chunk);
  yield splitter.end();
}

class Splitter {
  /** Of the line that has not ended yet; put together once, at its end. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Inside a line that is too long already: its bytes are dropped up to its end. */
  #dropping = false;
  #number = 0;
  #bytes = 0;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
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

  /** Whole lines, without the last newline. */
  #take(bytes: Buffer): Line[] {
    const lines = this.#decode(bytes).map((text) => this.#line(text));
    return lines.filter(({ text }) => text === null || text.trim() !== '');
  }

  /** All at once, which is much faster; line by line where something in it is not UTF-8. */
  #decode(bytes: Buffer): (string | null)[] {
    try {
      return this.#decoder.decode(bytes).split('\n');
    } catch {
      return splitBytes(bytes).map((line) => {
        try {
          return this.#decoder.decode(line);
        } catch {
          return null;
        }
      });
    }
  }

  readonly #tooLong = (): string => `is longer than ${this.#longest} bytes`;

  #line(text: string | null): Line {
    const number = ++this.#number;
    if (this.#dropping) {
      this.#dropping = false;
      return { number, text: null, reason: this.#tooLong() };
    }
    if (text === null) return { number, text, reason: NOT_UTF8 };
    // A UTF-16 unit is three bytes of UTF-8 at most.
    if (text.length > this.#longest / 3 && Buffer.byteLength(text) > this.#longest)
      return { number, text: null, reason: this.#tooLong() };
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
