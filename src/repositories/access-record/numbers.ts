// Repositories: numbers that stand for repeated values in access records.
import { LRUCache } from 'lru-cache';
import { getOrInsert } from '#core/get-or-insert.ts';
import type { Sql } from '#database/database.ts';

/** A table of numbered values: its unique columns and its further ones, each with its type. */
interface Numbered {
  table: string;
  by: Readonly<Record<string, string>>;
  more: Readonly<Record<string, string>>;
}

const NUMBERED = {
  keys: { table: 'access_keys', by: { key_id: 'text' }, more: { firm_id: 'text' } },
  pairs: { table: 'access_pairs', by: { client_id: 'text', key_id: 'text' }, more: {} },
  shapes: {
    table: 'access_shapes',
    by: { hash: 'uuid' },
    more: {
      ...{ endpoint: 'text', scopes: 'smallint', error_code: 'text', param: 'text', message: 'text' },
      ...{ disclosed: 'smallint', includes: 'smallint', version: 'date', tool_role: 'text', tool_id: 'text' },
    },
  },
  origins: { table: 'access_origins', by: { hash: 'uuid' }, more: { address: 'text', user_agent: 'text' } },
} satisfies Record<string, Numbered>;

export type NumberedKind = keyof typeof NUMBERED;

export const NUMBERED_TABLES: readonly string[] = Object.values(NUMBERED).map(({ table }) => table);

const MAX_CACHED = 20_000;
/** Much less than the time after which unused rows are deleted. */
const CACHE_MS = 12 * 3_600_000;

/**
 * Looks up rows that were marked today, marks other rows as used today, and inserts missing ones: an unmarked row may
 * be deleted at any moment. If a gateway's clock runs ahead, "today" is the date of its calls, so that rows are
 * retained as long as the month that uses them. Only missing rows are inserted, because an attempted insert uses up a
 * number. Rows are locked in one order, so that gateways do not deadlock.
 */
function statementFor({ table, by, more }: Numbered): string {
  const columns = { ...by, ...more };
  const names = Object.keys(columns).join(', ');
  const own = Object.keys(by).join(', ');
  const same = Object.keys(by)
    .map((name) => `d.${name} = g.${name}`)
    .join(' and ');
  const types = Object.values(columns);
  const lists = types.map((type, at) => `$${at + 1}::${type}[]`);
  const today = `greatest((now() at time zone 'UTC')::date, $${types.length + 1}::date)`;
  return `
with given as (select * from unnest(${lists.join(', ')}) with ordinality as g (${names}, n)),
-- Limited, so that each is looked up: a plan made while there were few would read all.
known as (
  select g.n, d.number from given g
  cross join lateral (select number from ${table} d where ${same} and d.seen >= ${today} limit 1) d),
old as (
  select g.n, d.number from (select * from given where n not in (select n from known) order by ${own}) g
  cross join lateral (select number from ${table} d where ${same} limit 1 for update) d),
marked as (
  update ${table} d set seen = greatest(d.seen, ${today}) from old where d.number = old.number returning old.n, d.number),
made as (
  insert into ${table} (${names}, seen) select ${names}, ${today} from given
  where n not in (select n from known union all select n from marked)
  order by ${own}
  on conflict (${own}) do update set seen = greatest(${table}.seen, excluded.seen) returning number, ${own})
select n, number from known union all select n, number from marked
union all select g.n, d.number from made d join given g on ${same}`;
}

const STATEMENTS = Object.fromEntries(
  Object.entries(NUMBERED).map(([kind, numbered]) => [kind, statementFor(numbered)]),
) as Record<NumberedKind, string>;

/**
 * Cache of the numbers assigned by the database, by kind and name. They are valid only for the database that assigned
 * them, which the user of the cache has to verify on each use.
 */
export class NumberCache {
  readonly #cache = new Map<NumberedKind, LRUCache<string, number>>();
  #since = performance.now();
  #day = '';

  /** Numbers for calls of this UTC day: their rows are marked as used on that day or later. */
  of(kind: NumberedKind, day: string): LRUCache<string, number> {
    if (day > this.#day || performance.now() - this.#since > CACHE_MS) {
      this.forget();
      this.#day = day;
    }
    return getOrInsert(this.#cache, kind, () => new LRUCache({ max: MAX_CACHED }));
  }

  forget(): void {
    this.#cache.clear();
    this.#since = performance.now();
    this.#day = '';
  }
}

/** Numbers found within a transaction; shared with others after its commit. */
export class FoundNumbers {
  readonly #cache: NumberCache;
  /** UTC day of the newest call. */
  readonly #day: string;
  readonly #found = new Map<NumberedKind, Map<string, number>>();

  constructor(cache: NumberCache, day: string) {
    this.#cache = cache;
    this.#day = day;
  }

  /**
   * Finds or assigns a number for each of `names`. `rowOf` has a value for each column of a name, given the index of
   * its first occurrence.
   */
  async find(
    sql: Sql,
    kind: NumberedKind,
    names: readonly string[],
    rowOf: (at: number) => unknown[],
  ): Promise<number[]> {
    const cache = this.#cache.of(kind, this.#day);
    const found = new Map<string, number>();
    const missing = new Map<string, unknown[]>();
    const all = names.map((name, at) => {
      const number = found.get(name) ?? cache.get(name);
      if (number !== undefined) found.set(name, number);
      else if (!missing.has(name)) missing.set(name, rowOf(at));
      return number;
    });
    const assigned = new Map<string, number>();
    const numbers = await numbersOf(sql, kind, [...missing.values()], this.#day);
    for (const [at, name] of [...missing.keys()].entries()) {
      const number = numbers[at];
      if (number === undefined) throw new Error(`a row of ${NUMBERED[kind].table} was not found after it was written`);
      found.set(name, number);
      assigned.set(name, number);
    }
    this.#found.set(kind, assigned);
    return all.map((number, at) => number ?? found.get(names[at] ?? '') ?? 0);
  }

  /** To be called after the commit. */
  addToCache(): void {
    for (const [kind, numbers] of this.#found)
      for (const [name, number] of numbers) this.#cache.of(kind, this.#day).set(name, number);
  }
}

/** The numbers of these distinct rows, in their order. Each row has a value for each column. */
async function numbersOf(
  sql: Sql,
  kind: NumberedKind,
  rows: readonly (readonly unknown[])[],
  day: string,
): Promise<number[]> {
  if (rows.length === 0) return [];
  const { by, more } = NUMBERED[kind];
  const width = Object.keys(by).length + Object.keys(more).length;
  const values = Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
  const numbers: number[] = [];
  for (const { n, number } of await sql.query<{ n: number; number: number }>({
    ...{ text: STATEMENTS[kind], values: [...values, day], prepare: true },
  }))
    numbers[n - 1] = number;
  return numbers;
}
