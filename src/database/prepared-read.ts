// Database: named prepared statements on `pg`'s connection, without the work that `pg` repeats at each execution.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Connection, PoolClient, QueryResultRow, Submittable } from 'pg';
import { getOrInsert } from '#core/get-or-insert.ts';
import { GIVEN_UP } from './cancel.ts';

type Callback = (error: Error | null, rows?: QueryResultRow[]) => void;
type Fields = readonly (string | null)[];
type ReadRow = (fields: Fields) => QueryResultRow;
export type ParserOf = (oid: number) => (text: string) => unknown;

/** The part of `pg`'s connection that a query uses, as its cursors and streams do. */
interface Wire {
  readonly stream: Connection['stream'];
  /** Texts by name. `pg` adds statements once the server has parsed them. */
  readonly parsedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  close(statement: { type: 'S'; name: string }): void;
  bind(portal: { statement: string; values: readonly WireValue[] }): void;
  describe(portal: { type: 'P'; name: string }): void;
  execute(portal: null): void;
  sync(): void;
}

type WireValue = string | Buffer | null;

interface PreparedStatement {
  /** Derived from the text, so that it means the same on every connection. */
  name: string;
  /** How to read a row. Made from the first description and cached. */
  read: ReadRow | undefined;
}

/** Prefix of the names of our statements. */
export const STATEMENT_PREFIX = 'portico_';
const MAX_STATEMENTS = 1_000;
const statements = new LRUCache<string, PreparedStatement>({ max: MAX_STATEMENTS });

function statementOf(text: string): PreparedStatement {
  return getOrInsert(statements, text, () => ({
    name: `${STATEMENT_PREFIX}${hash('sha1', text, 'base64url')}`,
    read: undefined,
  }));
}

/** Maximum prepared statements per connection. The server has some 30 kB for each as long as the connection lives. */
export const MAX_PREPARED = 128;
/** Names of prepared statements by connection, least recently used first. */
const preparedOn = new WeakMap<Connection, Set<string>>();

/** Records the use of a statement. Returns the name of the statement to close in exchange, if any. */
function noteUse(connection: Connection, name: string): string | undefined {
  const names = getOrInsert(preparedOn, connection, () => new Set());
  names.delete(name);
  names.add(name);
  if (names.size <= MAX_PREPARED) return undefined;
  const [unused = ''] = names;
  names.delete(unused);
  return unused;
}

/**
 * For each execution of a named statement, `pg` requests the description of the columns, looks up their parsers and
 * builds rows key by key, which is a third of its work. Here a statement is described once, and a generated function
 * converts fields to rows. The pool's result for it is the rows.
 *
 * It has its own timeout. The driver's timer references the promise of the result, and a cleared timer stays in memory
 * for a while: keeping the rows of sent pages alive took a tenth of a gateway's time.
 */
export class PreparedRead implements Submittable {
  readonly name: string;
  readonly text: string;
  readonly #values: readonly WireValue[];
  readonly #parserOf: ParserOf;
  readonly #statement: PreparedStatement;
  readonly #patienceMs: number | undefined;
  #callback: Callback | undefined;
  #timer: NodeJS.Timeout | undefined;
  #rows: QueryResultRow[] = [];
  #failure: Error | null = null;

  constructor(
    { text, values, patienceMs }: { text: string; values: readonly unknown[]; patienceMs: number | undefined },
    parserOf: ParserOf,
  ) {
    this.#statement = statementOf(text);
    this.name = this.#statement.name;
    this.text = text;
    this.#patienceMs = patienceMs;
    this.#values = values.map(toWire);
    this.#parserOf = parserOf;
  }

  get callback(): Callback | undefined {
    return this.#callback;
  }

  /** Set by the pool when it hands the read to a client. The timeout begins then, because the client may be busy. */
  set callback(callback: Callback) {
    this.#callback = callback;
    if (this.#patienceMs !== undefined)
      this.#timer = setTimeout(() => this.#settle(new Error(GIVEN_UP)), this.#patienceMs);
  }

  submit(connection: Connection): Error | null {
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    try {
      const unused = noteUse(connection, this.name);
      if (unused !== undefined) {
        wire.close({ type: 'S', name: unused });
        delete wire.parsedStatements[unused];
      }
      if (wire.parsedStatements[this.name] === undefined) wire.parse({ name: this.name, text: this.text });
      wire.bind({ statement: this.name, values: this.#values });
      if (this.#statement.read === undefined) wire.describe({ type: 'P', name: '' });
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
    this.#statement.read = readerOf(fields, this.#parserOf);
  }

  handleDataRow({ fields }: { fields: Fields }): void {
    const { read } = this.#statement;
    if (this.#failure !== null || read === undefined) return;
    try {
      this.#rows.push(read(fields));
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    this.#settle(error);
  }

  handleReadyForQuery(): void {
    this.#settle(this.#failure);
  }

  /** Settles once; later outcomes are ignored. Releases the rows and the callback, because the timer outlives them. */
  #settle(error: Error | null): void {
    clearTimeout(this.#timer);
    const [callback, rows] = [this.#callback, this.#rows];
    this.#callback = undefined;
    this.#rows = [];
    callback?.(error, error === null ? rows : undefined);
  }
}

/** Runs the read on one connection. A pool needs no promise for it. */
export function submit(client: PoolClient, read: PreparedRead): Promise<QueryResultRow[]> {
  return new Promise((resolve, reject) => {
    read.callback = (error, rows = []) => (error === null ? resolve(rows) : reject(error));
    client.query(read);
  });
}

/** Converts parameters of prepared reads: text, numbers, booleans, hashes, and lists of those. */
function toWire(value: unknown): WireValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return Array.isArray(value) ? arrayText(value) : String(value);
}

/** A list in PostgreSQL's text format. */
const arrayText = (list: readonly unknown[]): string => `{${list.map(toEntry).join(',')}}`;

function toEntry(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  const text = String(value);
  if (typeof value === 'number') return text;
  return text.includes('"') || text.includes('\\') ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}

/** Generates a function with a single object literal: rows have one shape and cost only the parsers. */
function readerOf(columns: readonly { name: string; dataTypeID: number }[], parserOf: ParserOf): ReadRow {
  const parsers = columns.map(({ dataTypeID }) => parserOf(dataTypeID));
  const members = columns.map(({ name }, at) => `${JSON.stringify(name)}: f[${at}] === null ? null : p${at}(f[${at}])`);
  const names = columns.map((_, at) => `p${at}`);
  return new Function(...names, `return (f) => ({ ${members.join(', ')} })`)(...parsers) as ReadRow;
}
