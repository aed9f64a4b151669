// Database: a named prepared statement as `pg` sends it, less what an ordinary query repeats at each execution.
import type { Connection, QueryResultRow, Submittable } from 'pg';

type Fields = readonly (string | null)[];
type ReadRow = (fields: Fields) => QueryResultRow;
export type ParserOf = (oid: number) => (text: string) => unknown;

/** What a query needs of `pg`'s connection: the interface that its cursors and streams are built on. */
interface Wire {
  readonly stream: Connection['stream'];
  readonly parsedStatements: Readonly<Record<string, string>>;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: readonly WireValue[] }): void;
  describe(portal: { type: 'P'; name: string }): void;
  execute(portal: null): void;
  sync(): void;
}

type WireValue = string | Buffer | null;

/** How to read a row, by statement: learnt from its first description and never asked for again. */
const readers = new Map<string, ReadRow>();

/**
 * At each execution of a named statement `pg` has the columns described, looks their parsers up and puts rows together key
 * by key, which is a third of its work. Here a statement is described once, and a function made to its measure turns
 * fields into rows. The result that the pool gives for it is the rows.
 */
export class PreparedRead implements Submittable {
  readonly name: string;
  readonly text: string;
  /** Milliseconds; the client keeps it. */
  readonly query_timeout: number | undefined;
  /** For whoever submits to set; the pool does. */
  callback: ((error: Error | null, rows?: QueryResultRow[]) => void) | undefined;
  readonly #values: readonly unknown[];
  readonly #parserOf: ParserOf;
  readonly #rows: QueryResultRow[] = [];
  #read: ReadRow | undefined;
  #failure: Error | null = null;

  constructor(
    statement: { name: string; text: string; values: readonly unknown[]; patienceMs: number | undefined },
    parserOf: ParserOf,
  ) {
    this.name = statement.name;
    this.text = statement.text;
    this.query_timeout = statement.patienceMs;
    this.#values = statement.values;
    this.#parserOf = parserOf;
    this.#read = readers.get(statement.text);
  }

  submit(connection: Connection): Error | null {
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    try {
      if (wire.parsedStatements[this.name] === undefined) wire.parse({ name: this.name, text: this.text });
      wire.bind({ statement: this.name, values: this.#values.map(toWire) });
      if (this.#read === undefined) wire.describe({ type: 'P', name: '' });
      wire.execute(null);
      wire.sync();
      return null;
    } catch (error) {
      return error as Error;
    } finally {
      wire.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#read = readerOf(fields, this.#parserOf);
    readers.set(this.text, this.#read);
  }

  handleDataRow({ fields }: { fields: Fields }): void {
    if (this.#failure !== null || this.#read === undefined) return;
    try {
      this.#rows.push(this.#read(fields));
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#failure, this.#rows);
  }
}

/** What prepared reads are given: texts, numbers, truth values, hashes, and lists of those. */
function toWire(value: unknown): WireValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return Array.isArray(value) ? arrayText(value) : String(value);
}

/** A list as PostgreSQL writes one. */
export const arrayText = (list: readonly unknown[]): string => `{${list.map(toEntry).join(',')}}`;

function toEntry(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  const text = String(value);
  return text.includes('"') || text.includes('\\') ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}

/** A function that is one object literal: rows of one shape, at no cost but the parsers'. */
function readerOf(columns: readonly { name: string; dataTypeID: number }[], parserOf: ParserOf): ReadRow {
  const parsers = columns.map(({ dataTypeID }) => parserOf(dataTypeID));
  const members = columns.map(({ name }, at) => `${JSON.stringify(name)}: f[${at}] === null ? null : p${at}(f[${at}])`);
  const names = columns.map((_, at) => `p${at}`);
  return new Function(...names, `return (f) => ({ ${members.join(', ')} })`)(...parsers) as ReadRow;
}
