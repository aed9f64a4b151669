// Database: statements that answer one question or several of the same kind, and the reads that share them.
import DataLoader from 'dataloader';
import type { QueryResultRow } from 'pg';
import type { Sql } from './database.ts';

/** A text for each number of questions: a single one does without lists. */
export interface BatchedStatement {
  /** What it reads, for those who watch or count statements. */
  name: string;
  one: string;
  several: string;
}

/**
 * The statement `around` SQL that gives the questions as rows, numbered `n` from 1, with these columns and their types: they
 * are its first parameters. It is to give `n` back, at most once each.
 */
export function batchedStatement(
  name: string,
  columns: Readonly<Record<string, string>>,
  around: (asked: string) => string,
): BatchedStatement {
  const types = Object.values(columns);
  const names = Object.keys(columns);
  const values = names.map((column, at) => `$${at + 1}::${types[at]} as ${column}`);
  // Out of the planner's sight, lists of any length have one plan, and that is kept.
  const lists = types.map((type, at) => `(select $${at + 1}::${type}[])`);
  return {
    name,
    one: around(`select 1 as n, ${values.join(', ')}`),
    several: around(`select * from unnest(${lists.join(', ')}) with ordinality as listed (${names.join(', ')}, n)`),
  };
}

/** What `toFound` makes of each question's row, in the order of the questions; null where there is none. */
export async function readBatched<Asked, Found>(
  sql: Sql,
  { name, one, several }: BatchedStatement,
  asked: readonly Asked[],
  valuesOf: (question: Asked) => readonly unknown[],
  toFound: (row: QueryResultRow, question: Asked) => Found,
  further: readonly unknown[] = [],
): Promise<(Found | null)[]> {
  const rows = asked.map(valuesOf);
  const [first = []] = rows;
  const statement =
    rows.length === 1
      ? { text: one, values: [...first, ...further] }
      : { text: several, values: [...first.map((_, column) => rows.map((row) => row[column])), ...further] };
  const found: (Found | null)[] = asked.map(() => null);
  for (const row of await sql.query({ name, ...statement, prepare: true }))
    found[row.n - 1] = toFound(row, asked[row.n - 1] as Asked);
  return found;
}

/** As many as PostgreSQL finds quickly by one plan for all. */
const MAX_TOGETHER = 100;
/** Turns of the event loop: each takes microseconds where nothing happens, and brings more questions where much does. */
const TURNS = 3;

/**
 * One read for all that is asked for within a few turns of the event loop, by whichever request. Nobody gets what was
 * read before they asked, and nobody waits for another's answer.
 */
export function batched<Asked, Found>(
  read: (asked: readonly Asked[]) => Promise<Found[]>,
): (asked: Asked) => Promise<Found> {
  const loader = new DataLoader<Asked, Found>(read, {
    cache: false,
    maxBatchSize: MAX_TOGETHER,
    batchScheduleFn: (begin) => afterTurns(TURNS, begin),
  });
  return (asked) => loader.load(asked);
}

function afterTurns(turns: number, begin: () => void): void {
  setImmediate(() => (turns === 1 ? begin() : afterTurns(turns - 1, begin)));
}
