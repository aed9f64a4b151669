// Bench: a caller's connection: HTTP/1.1, one request at a time, keep-alive. The generator shares a core with the
// servers. With short answers a library's client took a third of that core; this one takes half as much.
import { connect, type Socket } from 'node:net';
import type { PreparedRequest } from './generator.ts';

export interface Received {
  status: number;
  /** Bytes of the body. */
  length: number;
  /** Status line and headers. */
  head: string;
}

interface Head {
  status: number;
  text: string;
  /** Bytes, with the empty line. */
  size: number;
  /** Bytes of the body; null if it is chunked. */
  bodySize: number | null;
}

const EMPTY_LINE = '\r\n\r\n';
/** JSON contains no such line ends. */
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const WITHOUT_BODY = [204, 304];

/** The bytes of a request. */
export function wireOf({ method, path, headers, body = '' }: PreparedRequest, origin: string): Buffer {
  const length = body === '' ? {} : { 'Content-Length': `${Buffer.byteLength(body)}` };
  const fields = Object.entries({ Host: new URL(origin).host, ...headers, ...length });
  const head = [`${method} ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
  return Buffer.from(`${head}${EMPTY_LINE}${body}`);
}

/** The path of the next page, from a head or from a Link header alone. */
export function nextPage(head: string): string | null {
  const [, path = null] = /<([^>]*)>; rel="next"/.exec(head) ?? [];
  return path;
}

export class Connection {
  readonly #socket: Socket;
  #waiting: { resolve(received: Received): void; reject(error: Error): void } | null = null;
  #parts: Buffer[] = [];
  #size = 0;
  #head: Head | null = null;

  constructor(origin: string) {
    const { hostname, port } = new URL(origin);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (part) => this.#take(part));
    this.#socket.on('error', (error) => this.#waiting?.reject(error));
    this.#socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')));
    this.#socket.on('timeout', () => this.#waiting ?? this.#socket.destroy());
  }

  get open(): boolean {
    return !this.#socket.destroyed;
  }

  /** Rejects if the connection closes before the answer. */
  send(wire: Buffer): Promise<Received> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(wire);
    });
  }

  giveUp(reason: Error): void {
    this.#socket.destroy(reason);
  }

  #take(part: Buffer): void {
    this.#parts.push(part);
    this.#size += part.length;
    this.#head ??= readHead(this.#all());
    if (this.#head === null) return;
    // An idle connection is closed before the server closes it, so that no request is sent on a closing one.
    if (this.#socket.timeout === undefined) this.#socket.setTimeout(idleMs(this.#all()));
    const { status, text, size, bodySize } = this.#head;
    if (bodySize === null ? !this.#endsWith(LAST_CHUNK) : this.#size < size + bodySize) return;
    const length = bodySize ?? lengthOfChunks(this.#all().subarray(size));
    this.#parts = [];
    this.#size = 0;
    this.#head = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve({ status, length, head: text });
  }

  #all(): Buffer {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0] as Buffer;
  }

  #endsWith(end: Buffer): boolean {
    return this.#size >= end.length && this.#all().subarray(-end.length).equals(end);
  }
}

function readHead(bytes: Buffer): Head | null {
  const end = bytes.indexOf(EMPTY_LINE);
  if (end === -1) return null;
  const text = bytes.toString('latin1', 0, end);
  const status = Number(text.slice(9, 12));
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(text) ?? [];
  const bodySize = WITHOUT_BODY.includes(status) ? 0 : length === undefined ? null : Number(length);
  return { status, text, size: end + EMPTY_LINE.length, bodySize };
}

function idleMs(bytes: Buffer): number {
  const [, seconds = '5'] = /\r\nkeep-alive: *timeout=(\d+)/i.exec(bytes.toString('latin1')) ?? [];
  return (Number(seconds) - 2) * 1000;
}

function lengthOfChunks(bytes: Buffer): number {
  let length = 0;
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!(size > 0)) return length;
    length += size;
    at = end + 2 + size + 2;
  }
}
