// Tracing: writes the spans of one trace as OTLP in Protocol Buffers, into a reused buffer.
import { randomFillSync } from 'node:crypto';

/** Tag of the field of ScopeSpans that contains a span. */
const SPANS = 0x12;
/** Tags of a span's fields: trace_id, span_id, parent_span_id, start_time_unix_nano, end_time_unix_nano. */
const [TRACE_ID, SPAN_ID, PARENT, START, END] = [0x0a, 0x12, 0x22, 0x39, 0x41];
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** Bytes of both ids and times with their tags and lengths; and of the parent's id. */
const FIXED_BYTES = 18 + 10 + 9 + 9;
const PARENT_BYTES = 10;
/** Maximum bytes of a span's tag and length. */
const MAX_HEAD_BYTES = 6;

const UINT32 = 2 ** 32;

export class SpanWriter {
  #bytes: Buffer = Buffer.alloc(32_768);
  #at = 0;
  readonly #traceId = Buffer.alloc(TRACE_ID_BYTES);
  #ids: Buffer = Buffer.alloc(0);
  #began = 0;
  /** Unix time of the start in nanoseconds, in two halves, because a double cannot represent it exactly. */
  #low = 0;
  #high = 0;

  /** Begins a trace of at most `spans` spans. `began` and all times are by `performance.now()`. */
  begin(traceId: string, began: number, spans: number): void {
    this.#at = 0;
    this.#traceId.write(traceId, 'hex');
    this.#ids = randomBytes(spans * SPAN_ID_BYTES);
    this.#began = began;
    const microseconds = Math.round((Date.now() - performance.now() + began) * 1e3);
    const nanoseconds = BigInt(microseconds) * 1_000n;
    this.#low = Number(nanoseconds % BigInt(UINT32));
    this.#high = Number(nanoseconds / BigInt(UINT32));
  }

  /** Spans are numbered from 0. `parent` is null for the root. `rest`: whole fields. */
  span(number: number, parent: number | null, from: number, to: number, ...rest: readonly Buffer[]): void {
    let length = FIXED_BYTES + (parent === null ? 0 : PARENT_BYTES);
    for (const { length: more } of rest) length += more;
    this.#makeRoom(length + MAX_HEAD_BYTES);
    this.#byte(SPANS);
    this.#length(length);
    this.#byte(TRACE_ID);
    this.#length(TRACE_ID_BYTES);
    this.#put(this.#traceId, 0, TRACE_ID_BYTES);
    this.#id(SPAN_ID, number);
    if (parent !== null) this.#id(PARENT, parent);
    this.#time(START, from);
    this.#time(END, to);
    for (const fields of rest) this.#put(fields, 0, fields.length);
  }

  /** All spans, concatenated, each as a field. */
  written(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }

  #makeRoom(length: number): void {
    while (this.#at + length > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
  }

  #byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }

  /** Byte by byte, because for so few bytes a call of Buffer.copy costs more. */
  #put(from: Buffer, start: number, end: number): void {
    let to = this.#at;
    for (let at = start; at < end; at++) this.#bytes[to++] = from[at] as number;
    this.#at = to;
  }

  #length(length: number): void {
    let left = length;
    for (; left >= 0x80; left >>>= 7) this.#byte((left & 0x7f) | 0x80);
    this.#byte(left);
  }

  #id(tag: number, number: number): void {
    this.#byte(tag);
    this.#length(SPAN_ID_BYTES);
    const from = number * SPAN_ID_BYTES;
    this.#put(this.#ids, from, from + SPAN_ID_BYTES);
  }

  #time(tag: number, at: number): void {
    const low = this.#low + Math.round((at - this.#began) * 1e6);
    this.#byte(tag);
    this.#at = this.#bytes.writeUInt32LE(low % UINT32, this.#at);
    this.#at = this.#bytes.writeUInt32LE(this.#high + Math.floor(low / UINT32), this.#at);
  }
}

const random = Buffer.alloc(16_384);
let spent = random.length;

/** At most `random.length` bytes, valid until the next call. */
function randomBytes(count: number): Buffer {
  if (spent + count > random.length) {
    randomFillSync(random);
    spent = 0;
  }
  spent += count;
  return random.subarray(spent - count, spent);
}
