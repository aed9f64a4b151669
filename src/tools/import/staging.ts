// Tools: staging of the files' rows in temporary tables `staged_<kind>`, which are dropped with the transaction.
import type { Sql } from '#database/database.ts';
import type { SourceFile } from './directory.ts';
import { type Fault, faultOf, MAX_FAULTS } from './faults.ts';
import { KINDS, type Kind } from './kinds.ts';
import { readLines } from './lines.ts';
import type { Progress } from './progress.ts';
import { parseLine, type Row, type RowShape, readRow } from './rows.ts';

// One batch is one statement. Both bounds keep it small in the memory of client and server.
const BATCH_ROWS = 1_000;
const BATCH_CHARACTERS = 128 * 1024;

/** The staged columns other than `line` (from 1) and `deleted`. */
function columnsOf(shape: RowShape): [name: string, type: string][] {
  const fields = Object.entries(shape.fields).map(([field, { type }]): [string, string] => [field, type]);
  return [...fields, ...Object.entries(shape.derived ?? {})];
}

// The collation of the columns with which ids are compared.
const collated = (type: string) => (type.startsWith('text') ? `${type} collate "C"` : type);

/** Creates a table for every kind, including those without a file. */
export async function createStaging(sql: Sql, shapes: Record<Kind, RowShape>): Promise<void> {
  for (const kind of KINDS) {
    const columns = columnsOf(shapes[kind]).map(([name, type]) => `${name} ${collated(type)}`);
    await sql.query({
      text: `create temporary table staged_${kind}
        (line integer primary key, deleted boolean not null, ${columns.join(', ')}) on commit drop`,
    });
  }
}

/** Reads one file into its table. Adds errors to `faults`, and stops reading if there are too many. */
export async function stageFile(
  sql: Sql,
  file: SourceFile,
  shape: RowShape,
  faults: Fault[],
  progress: Progress,
): Promise<void> {
  progress.phase(`Reading ${file.name}`, file.bytes, 'bytes');
  const batches = new Batches(sql, file.kind, shape);
  for await (const { lines, bytes } of readLines(file.path)) {
    for (const line of lines) {
      const refuse = faultOf(faults, file.name, line.number);
      const value = parseLine(line, refuse);
      const row = value && readRow(shape, value, line, refuse);
      if (row !== null) await batches.add(row, line.number);
      if (faults.length >= MAX_FAULTS) break;
    }
    progress.reached(bytes);
    if (faults.length >= MAX_FAULTS) break;
  }
  await batches.flush();
  await prepareStaged(sql, file.kind);
}

export async function prepareStaged(sql: Sql, kind: Kind): Promise<void> {
  await sql.query({ text: `create index on staged_${kind} (id)` });
  await sql.query({ text: `analyze staged_${kind}` });
}

/** Inserts rows in batches. The next batch is read while the server inserts the previous one. */
export class Batches {
  #rows: string[] = [];
  #characters = 0;
  #sent: Promise<unknown> = Promise.resolve();
  readonly #sql: Sql;
  readonly #text: string;

  constructor(sql: Sql, kind: Kind, shape: RowShape) {
    const columns = columnsOf(shape);
    const names = ['line', 'deleted', ...columns.map(([name]) => name)].join(', ');
    const types = columns.map(([name, type]) => `${name} ${type}`).join(', ');
    this.#sql = sql;
    this.#text = `insert into staged_${kind} (${names})
      select ${names} from json_to_recordset($1::json) as row(line integer, deleted boolean, ${types})`;
  }

  async add(row: Row, line: number): Promise<void> {
    row.line = line;
    const text = JSON.stringify(row);
    this.#rows.push(text);
    this.#characters += text.length;
    if (this.#rows.length >= BATCH_ROWS || this.#characters >= BATCH_CHARACTERS) await this.#send();
  }

  async flush(): Promise<void> {
    if (this.#rows.length > 0) await this.#send();
    await this.#sent;
  }

  async #send(): Promise<void> {
    const values = [`[${this.#rows.join(',')}]`];
    this.#rows = [];
    this.#characters = 0;
    await this.#sent;
    this.#sent = this.#sql.query({ text: this.#text, values });
    // The next call that waits throws the error. Until then it must not be an unhandled rejection.
    this.#sent.catch(() => {});
  }
}
