// Tools: writes staged rows to the tables: existing rows that differ are updated, missing ones inserted.
import type { Sql } from '#database/database.ts';
import { readValue } from '#database/rows.ts';
import { type Kind, TABLES } from '../kinds.ts';
import type { Progress } from '../progress.ts';

export interface Counts {
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
  /** Rows whose id, or whose asset or client, was deleted or erased before. They do not come back. */
  skipped: number;
}

export interface Merge {
  /** Runs before anything of the kind is written. */
  before?: (sql: Sql) => Promise<void>;
  /** Column → expression over the staged row `s` and `joins`. An existing row that differs in any of them is updated. */
  columns: Record<string, string>;
  /** Also set when a row is updated; may reference the existing row as `t`. */
  onUpdate?: Record<string, string>;
  /** Also set when a row is inserted. */
  onInsert?: Record<string, string>;
  joins?: string;
  /** Statements run after those for each range of lines, which return the ids of rows that they changed. */
  alongside?: readonly string[];
}

/** Lines per statement: enough to be fast, few enough for progress and for the server's queue of triggers. */
const SLICE = 20_000;

export class Writer {
  readonly sql: Sql;
  readonly #progress: Progress;

  constructor(sql: Sql, progress: Progress) {
    this.sql = sql;
    this.#progress = progress;
  }

  /** Runs a statement, and returns how many rows its `returning` gave. */
  count(text: string, values: readonly unknown[] = []): Promise<number> {
    return readValue(this.sql, { text: `with done as (${text}) select count(*) from done`, values });
  }

  /** Calls `work` for ranges of lines ($1 to $2) that cover the kind's staged rows. */
  async slices(kind: Kind, phase: string, work: (range: [number, number]) => Promise<void>): Promise<void> {
    const last = await readValue<number | null>(this.sql, { text: `select max(line) from staged_${kind}` });
    if (last === null) return;
    this.#progress.phase(phase, last, 'rows');
    for (let from = 1; from <= last; from += SLICE) {
      const to = Math.min(from + SLICE - 1, last);
      await work([from, to]);
      this.#progress.reached(to);
    }
  }

  /** Updates existing rows, then inserts missing ones. Returns the number of rows inserted. */
  async merge(kind: Kind, merge: Merge): Promise<number> {
    await merge.before?.(this.sql);
    const present = await this.#findPresent(kind);
    let inserted = 0;
    await this.slices(kind, `Writing ${kind}`, async (range) => {
      if (present > 0) await this.noteChanged(kind, updateOf(kind, merge), range);
      inserted += await this.count(insertOf(kind, merge), range);
      for (const text of merge.alongside ?? []) await this.noteChanged(kind, text, range);
    });
    return inserted;
  }

  /** Runs an update, and remembers the returned ids as changed if they existed before. */
  async noteChanged(kind: Kind, text: string, values: readonly unknown[]): Promise<void> {
    await this.sql.query({
      text: `with done as (${text})
        insert into changed_${kind} select distinct id from done join present_${kind} using (id) on conflict do nothing`,
      values,
    });
  }

  /** Which staged rows exist already. Read once, before anything is written. */
  async #findPresent(kind: Kind): Promise<number> {
    await this.sql.query({
      text: `create temporary table present_${kind} on commit drop as
        select id from staged_${kind} s where exists (select from ${TABLES[kind]} t where t.id = s.id)`,
    });
    await this.sql.query({ text: `create index on present_${kind} (id)` });
    await this.sql.query({ text: `analyze present_${kind}` });
    await this.sql.query({
      text: `create temporary table changed_${kind} (id text collate "C" primary key) on commit drop`,
    });
    return this.count(`select from present_${kind}`);
  }
}

const IN_SLICE = 's.line between $1 and $2';

/** SQL: whether the existing row `t` differs from the staged row `s`. */
export const isChanged = ({ columns }: Merge): string => {
  const names = Object.keys(columns).map((column) => `t.${column}`);
  return `(${names.join(', ')}) is distinct from (${Object.values(columns).join(', ')})`;
};

function updateOf(kind: Kind, merge: Merge): string {
  const { columns, onUpdate = {}, joins = '' } = merge;
  const set = Object.entries({ ...columns, ...onUpdate }).map(([column, value]) => `${column} = ${value}`);
  return `update ${TABLES[kind]} t set ${set.join(', ')}
    from staged_${kind} s ${joins}
    where ${IN_SLICE} and t.id = s.id and ${isChanged(merge)}
    returning t.id`;
}

function insertOf(kind: Kind, { columns, onInsert = {}, joins = '' }: Merge): string {
  const all = { ...columns, ...onInsert };
  return `insert into ${TABLES[kind]} (id, ${Object.keys(all).join(', ')})
    select s.id, ${Object.values(all).join(', ')} from staged_${kind} s ${joins}
    where ${IN_SLICE} and not exists (select from present_${kind} p where p.id = s.id)
    returning 1`;
}
