// Tools: imports a client's export: reads its lines of portfolio and skips all others.
import { isJsonObject } from '#core/json-object.ts';
import type { Sql } from '#database/database.ts';
import { EXPORT_FORMAT, WITHHELD } from '#repositories/personal-data/portfolio-lines.ts';
import type { SourceFile } from './directory.ts';
import { DirectoryError, type Fault, faultOf, MAX_FAULTS } from './faults.ts';
import { KINDS, type Kind, TABLES } from './kinds.ts';
import { readLines } from './lines.ts';
import type { Progress } from './progress.ts';
import { parseLine, type RowShape, readRow } from './rows.ts';
import { Batches, prepareStaged } from './staging.ts';

/** Skipped lines may be longer than those of other files: a receipt lists the items that it covers. */
const MAX_EXPORT_LINE = 64 * 1024 * 1024;

const isKind = (kind: unknown): kind is Kind => (KINDS as readonly unknown[]).includes(kind);

/**
 * Reads the file into the staging tables of all kinds. Adds errors to `faults`. Throws DirectoryError for another kind
 * of file.
 */
export async function stageExport(
  sql: Sql,
  file: Omit<SourceFile, 'kind'>,
  shapes: Record<Kind, RowShape>,
  faults: Fault[],
  progress: Progress,
): Promise<void> {
  progress.phase(`Reading ${file.name}`, file.bytes, 'bytes');
  const batches = new Map(KINDS.map((kind) => [kind, new Batches(sql, kind, shapes[kind])]));
  let before = 0;
  let ended = false;
  for await (const { lines, bytes } of readLines(file.path, MAX_EXPORT_LINE)) {
    for (const line of lines) {
      const refuse = faultOf(faults, file.name, line.number);
      const value = parseLine(line, refuse);
      if (before === 0) requireHead(file.path, value);
      else if (ended) refuse(null, 'comes after the line of kind "end"');
      else if (value?.kind === 'end') {
        ended = true;
        if (!isJsonObject(value.row) || value.row.lines !== before - 1)
          refuse(null, `does not give the number of lines before it, ${before - 1}`);
      } else if (value !== null && isKind(value.kind)) {
        if (!isJsonObject(value.row)) refuse('row', 'must be an object');
        const row = isJsonObject(value.row) ? readRow(shapes[value.kind], value.row, line, refuse) : null;
        if (row !== null) await batches.get(value.kind)?.add(row, line.number);
      }
      before++;
    }
    progress.reached(bytes);
    if (faults.length >= MAX_FAULTS) break;
  }
  if (!ended) faultOf(faults, file.name, 1)(null, 'the file was cut off: it has no line of kind "end"');
  for (const [kind, batch] of batches) {
    await batch.flush();
    await prepareStaged(sql, kind);
  }
}

function requireHead(path: string, head: unknown): void {
  if (!isJsonObject(head) || head.format !== EXPORT_FORMAT)
    throw new DirectoryError(`${path} is neither a directory nor the export of a client (${EXPORT_FORMAT})`);
}

/** Fields that an export withholds keep their values in existing rows. */
export async function preserveWithheld(sql: Sql): Promise<void> {
  for (const kind of ['assets', 'valuations', 'documents'] as const)
    for (const line of WITHHELD[kind]) {
      const [column, list] = line.split('.').reverse();
      const [staged, table] = list === undefined ? [kind, TABLES[kind]] : [list, list];
      const text = `update staged_${staged} s set ${column} = t.${column} from ${table} t where t.id = s.id`;
      await sql.query({ text });
    }
}
