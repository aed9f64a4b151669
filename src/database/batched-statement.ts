// Database: statements that answer one or several questions of the same kind, and reads batched by them.
import { AsyncLocalStorage } from 'node:async_hooks';
import DataLoader from 'dataloader';
import type { QueryResultRow } from 'pg';
import type { Sql } from './database.ts';

/** SQL for a single question, which needs no lists, and for several. */
export interface BatchedStatement {
  /** Name of the statement in metrics and traces. */
  name: string;
  one: string;
  several: string;
}

/**
 * Builds the statement `around` SQL that returns the questions as rows with these columns, numbered `n` from 1. The
 * columns are its first parameters. The statement must return `n`, at most one row for each.
 */
export function batchedStatement(
  name: string,
  columns: Readonly<Record<string, string>>,
  around: (asked: string) => string,
): BatchedStatement {
  const types = Object.values(columns);
  const names = Object.keys(columns);
  const values = names.map((column, at) => `$${at + 1}::${types[at]} as ${column}`);
  // In a subquery the planner cannot see the lists, so that lists of any length share one cached plan.
  const lists = types.map((type, at) => `(select $${at + 1}::${type}[])`);
  return {
    name,
    one: around(`select 1 as n, ${values.join(', ')}`),
    several: around(`select * from unnest(${lists.join(', ')}) with ordinality as listed (${names.join(', ')}, n)`),
  };
}

/** Maps each question's row by `toFound`, in the order of the questions; null where there is no row. */
export async function readBatched<Asked, Found>(
  sql: Sql,
  { name, one, several }: BatchedStatement,
  questions: readonly Asked[],
  valuesOf: (question: Asked) => readonly unknown[],
  toFound: (row: QueryResultRow, question: Asked) => Found,
  further: readonly unknown[] = [],
): Promise<(Found | null)[]> {
  const rows = questions.map(valuesOf);
  const [first = []] = rows;
  const statement =
    rows.length === 1
      ? { text: one, values: [...first, ...further] }
      : { text: several, values: [...first.map((_, column) => rows.map((row) => row[column])), ...further] };
  const found: (Found | null)[] = questions.map(() => null);
  for (const row of await sql.query({ name, ...statement, prepare: true }))
    found[row.n - 1] = toFound(row, questions[row.n - 1] as Asked);
  return found;
}

/** PostgreSQL answers up to this many quickly with a single plan. */
const MAX_BATCH = 100;
/** Turns of the event loop to wait. They take microseconds when idle, and collect more questions under load. */
const TURNS = 3;

/** The deadline of one request (`inTime`) must not apply to a read for several. */
const outsideRequests = AsyncLocalStorage.snapshot();

/**
 * One read for all questions asked within a few turns of the event loop, by any request. A caller never gets a result
 * read before it asked, and never waits for another caller's read.
 */
export function batched<Asked, Found>(
  read: (questions: readonly Asked[]) => Promise<Found[]>,
): (asked: Asked) => Promise<Found> {
  const loader = new DataLoader<Asked, Found>(read, {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: (begin) => outsideRequests(() => afterTurns(TURNS, begin)),
  });
  return (question) => loader.load(question);
}

function afterTurns(turns: number, begin: () => void): void {
  setImmediate(() => (turns === 1 ? begin() : afterTurns(turns - 1, begin)));
}
