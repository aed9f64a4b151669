// Gateway: the database as one request sees it, whose waits for statements are taken note of.
import type { StageTimes } from '#core/stages.ts';
import type { Database, Sql } from '#database/database.ts';

/** What statements without a name are called. */
const STATEMENT = 'statement';

export function timed(sql: Sql, times: StageTimes): Sql {
  return { query: (statement) => times.statement(statement.name ?? STATEMENT, sql.query(statement)) as never };
}

/** A transaction counts as one wait. */
export class TimedDatabase implements Database {
  readonly #database: Database;
  readonly #times: StageTimes;

  constructor(database: Database, times: StageTimes) {
    this.#database = database;
    this.#times = times;
  }

  connect(): ReturnType<Database['connect']> {
    return this.#database.connect();
  }

  get journal(): Database['journal'] {
    return this.#database.journal;
  }

  query: Database['query'] = (statement) =>
    this.#times.statement(statement.name ?? STATEMENT, this.#database.query(statement)) as never;

  connection: Database['connection'] = (work) =>
    this.#times.statement('connection', this.#database.connection(work)) as never;

  transaction: Database['transaction'] = (work, options) =>
    this.#times.statement('transaction', this.#database.transaction(work, options)) as never;

  pool(): ReturnType<Database['pool']> {
    return this.#database.pool();
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
