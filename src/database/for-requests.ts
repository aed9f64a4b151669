// Database: the database for requests: an answer in time, or a refusal with the right status.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryResult } from 'pg';
import { Refusal } from '#core/errors.ts';
import type { StageTimes } from '#core/stages.ts';
import { NoConnection } from './connections.ts';
import { type Database, type Sql, type Statement, transactionsOver } from './database.ts';

/** Timeout of a statement. Together with the wait for a connection it stays below 10 s. */
export const REQUEST_PATIENCE_MS = 5_000;

/**
 * Applies `patienceMs` to every statement, including those of transactions and borrowed connections, except in
 * transactions with `noTimeout`. Throws Refusal `service_unavailable`, `invalid_parameter` for text that cannot be
 * stored, and `not_signed_in` for a session whose epoch has ended, or whose person was erased.
 */
export function forRequests(database: Database, patienceMs: number = REQUEST_PATIENCE_MS): Database {
  const withDefaults = (sql: Sql): Sql => ({
    query: (statement: Statement) => sql.query({ patienceMs, ...statement }).catch(refuse) as never,
  });
  const connection: Database['connection'] = (work) =>
    database.connection((sql, session) => work(withDefaults(sql), session)).catch(refuse) as never;
  const timedTransaction = transactionsOver(connection);
  return {
    ...database,
    ...timely(withDefaults(database)),
    connection,
    transaction: (work, options) =>
      options?.noTimeout === true
        ? (database.transaction(work, options).catch(refuse) as never)
        : timedTransaction(timelyWork(work)),
  };
}

/** Time after which no statement may begin, by `performance.now()`. */
const deadlines = new AsyncLocalStorage<number>();

/**
 * Limits the database work of `work` to `ms`: no statement or commit begins later than one statement timeout before the
 * end. After that it is refused with `service_unavailable`.
 */
export const inTime = <Result>(ms: number, work: () => Promise<Result>): Promise<Result> =>
  deadlines.run(performance.now() + ms - REQUEST_PATIENCE_MS, work);

function isLate(): boolean {
  const deadline = deadlines.getStore();
  return deadline !== undefined && performance.now() > deadline;
}

const tooLate = () => new Refusal('service_unavailable', { cause: new Error('the request took too long') });

const timely = (sql: Sql): Sql => ({
  query: (statement: Statement) => (isLate() ? Promise.reject(tooLate()) : sql.query(statement)),
});

/** The work of a transaction. Its rollback has no deadline. */
const timelyWork =
  <Result>(work: (sql: Sql) => Promise<Result>) =>
  async (sql: Sql): Promise<Result> => {
    const result = await work(timely(sql));
    if (isLate()) throw tooLate();
    return result;
  };

/** The part of a `pg` pool used by libraries that run their own statements. */
export interface LibraryPool {
  connect(): Promise<LibraryClient>;
  end(): Promise<void>;
}

interface LibraryClient {
  query(text: string, values?: readonly unknown[]): Promise<QueryResult>;
  release(): void;
}

/** The database's own pool with timeouts, and with errors converted as above. `end` does not close the pool. */
export function poolForRequests(database: Database, patienceMs: number = REQUEST_PATIENCE_MS): LibraryPool {
  return {
    async connect() {
      const { journal } = database;
      const client = await database.connect().catch(refuse);
      let broken: Error | undefined;
      const noteBreak = (error: Error) => {
        broken = error;
      };
      client.on('error', noteBreak);
      return {
        async query(text, values = []) {
          const statement = { text, values: [...values], query_timeout: patienceMs };
          const pending = client.query(statement);
          const times = libraryTimes.getStore();
          const timed = (times?.statement(nameOf(text), pending) ?? pending).catch((error: Error) => {
            if (isUnavailable(error)) broken ??= error;
            return refuse(error);
          });
          return journal === null ? timed : journal.settled(client, timed);
        },
        release() {
          client.off('error', noteBreak);
          client.release(broken);
        },
      };
    },
    end: async () => {},
  };
}

/** The request on whose behalf a library runs its statements. */
const libraryTimes = new AsyncLocalStorage<StageTimes>();

/** Attributes the statements of a library to a request's stages and trace. */
export function timedFor<Result>(times: StageTimes, work: () => Promise<Result>): Promise<Result> {
  return libraryTimes.run(times, work);
}

const VERBS: Record<string, string> = { select: 'read', insert: 'add', update: 'change', delete: 'remove' };

/** The kind of statement. Nothing else of a library's SQL is exposed. */
function nameOf(text: string): string {
  const verb = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(VERBS, verb) ? `sign-in ${VERBS[verb]}` : 'sign-in';
}

function refuse(cause: unknown): never {
  if (cause instanceof Refusal) throw cause;
  if (isUnavailable(cause)) throw new Refusal('service_unavailable', { cause });
  const { code, constraint, table } = cause as { code?: unknown; constraint?: unknown; table?: unknown };
  // PostgreSQL text cannot contain NUL, so such a value can match no row.
  if (code === '22021')
    throw new Refusal('invalid_parameter', { message: 'A value contains characters that cannot be stored.', cause });
  if (code === EPOCH_OVER)
    throw new Refusal('not_signed_in', { message: 'All sessions have been ended. Sign in again.', cause });
  // Sign-in checks that the person is there, and stores a session or a factor by a statement of its own.
  if (code === '23503' && String(table).startsWith('portal_'))
    throw new Refusal('not_signed_in', { message: 'This account was erased meanwhile. Sign in again.', cause });
  // The sign-in library looks for a factor, and then adds one by a statement of its own.
  if (code === '23505' && constraint === 'portal_second_factors_account_id_key')
    throw new Refusal('invalid_transition', { message: 'The second factor is being set up in another window.', cause });
  throw cause;
}

/** Raised by triggers of session epochs and second factors (Migration0043, Migration0055). */
const EPOCH_OVER = 'PSE01';

const NETWORK = /^E(?:CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOENT|NOTFOUND|AI_AGAIN)$/;
/**
 * Connection lost, rolled back because of other transactions, out of resources, not in the required state, shutting
 * down or cancelled, disk failure; read-only; no such database, or no permission; a different schema, or another
 * session.
 */
const STATES = /^(?:08...|40...|53...|55...|57P0.|57014|58...|25006|3D000|28...|42P01|42703|42883|42P05|26000)$/;
/** The driver's own errors have no codes. */
const MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|connection ended|query read timeout|is not queryable/i;

/** Whether the error means that the database is unavailable, rather than that the statement was wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoConnection) return true;
  const code = String((error as { code?: unknown }).code ?? '');
  if (NETWORK.test(code) || STATES.test(code) || MESSAGES.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  return error.cause !== undefined && isUnavailable(error.cause);
}
