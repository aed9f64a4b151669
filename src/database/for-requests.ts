// Database: the database as requests see it: an answer in time, or a refusal that says whose fault it is.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryResult } from 'pg';
import { Refusal } from '#core/errors.ts';
import type { StageTimes } from '#core/stages.ts';
import { NoConnection } from './connections.ts';
import { type Database, type Sql, type Statement, transactionsOver } from './database.ts';

/** A statement that takes longer has met a server that is gone or overwhelmed. With the wait for a connection below 10 s. */
export const REQUEST_PATIENCE_MS = 5_000;

/**
 * Every statement within `patienceMs`, those of transactions and of borrowed connections too; unhurried transactions take as long as they
 * take. Throws Refusal `service_unavailable`, `invalid_parameter` for text it cannot hold, and `not_signed_in` for a session that
 * rests on what has been ended.
 */
export function forRequests(database: Database, patienceMs: number = REQUEST_PATIENCE_MS): Database {
  const within = (sql: Sql): Sql => ({
    query: (statement: Statement) => sql.query({ patienceMs, ...statement }).catch(refuse) as never,
  });
  const connection: Database['connection'] = (work) =>
    database.connection((sql, session) => work(within(sql), session)).catch(refuse) as never;
  const hurried = transactionsOver(connection);
  return {
    ...database,
    ...timely(within(database)),
    connection,
    transaction: (work, options) =>
      options?.unhurried === true
        ? (database.transaction(work, options).catch(refuse) as never)
        : hurried(timelyWork(work)),
  };
}

/** When statements begin no more, by `performance.now()`. */
const deadlines = new AsyncLocalStorage<number>();

/**
 * Does `work` within `ms` or not at all, as far as the database goes: no statement of it begins later than the patience for one before that,
 * nor its commit. It is refused with `service_unavailable` then.
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

/** The work of a transaction, whose rollback is not bound to the time. */
const timelyWork =
  <Result>(work: (sql: Sql) => Promise<Result>) =>
  async (sql: Sql): Promise<Result> => {
    const result = await work(timely(sql));
    if (isLate()) throw tooLate();
    return result;
  };

/** As much of a `pg` pool as libraries use that bring their own statements. */
export interface LibraryPool {
  connect(): Promise<LibraryClient>;
  end(): Promise<void>;
}

interface LibraryClient {
  query(text: string, values?: readonly unknown[]): Promise<QueryResult>;
  release(): void;
}

/** The database's own pool, its statements bounded and their errors told as above. It does not end the pool. */
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
          const asked = client.query(statement);
          const times = libraryTimes.getStore();
          const answered = (times?.statement(nameOf(text), asked) ?? asked).catch((error: Error) => {
            if (isUnavailable(error)) broken ??= error;
            return refuse(error);
          });
          return journal === null ? answered : journal.settled(client, answered);
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

/** The request that a library works for, whose own statements would otherwise be nobody's. */
const libraryTimes = new AsyncLocalStorage<StageTimes>();

/** Counts the statements of a library that brings its own as those of a request, in its stages and its trace. */
export function timedFor<Result>(times: StageTimes, work: () => Promise<Result>): Promise<Result> {
  return libraryTimes.run(times, work);
}

const DEEDS: Record<string, string> = { select: 'read', insert: 'add', update: 'change', delete: 'remove' };

/** What it does; nothing else of a text that is not ours. */
function nameOf(text: string): string {
  const verb = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(DEEDS, verb) ? `sign-in ${DEEDS[verb]}` : 'sign-in';
}

function refuse(cause: unknown): never {
  if (cause instanceof Refusal) throw cause;
  if (isUnavailable(cause)) throw new Refusal('service_unavailable', { cause });
  // PostgreSQL has no text with NUL; whoever asks for it asks for nothing that could be there.
  if ((cause as { code?: unknown }).code === '22021')
    throw new Refusal('invalid_parameter', { message: 'A value holds characters that cannot be stored.', cause });
  if ((cause as { code?: unknown }).code === EPOCH_OVER)
    throw new Refusal('not_signed_in', { message: 'All sessions were ended meanwhile. Sign in again.', cause });
  throw cause;
}

/** Of `require_session_epoch` (Migration0043). */
const EPOCH_OVER = 'PSE01';

const NETWORK = /^E(?:CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOENT|NOTFOUND|AI_AGAIN)$/;
/**
 * Connection lost, rolled back for others' sake, out of resources, not in a state for it, shutting down or cancelled, a failing
 * disk; read-only; no such database, or no leave to use it; another schema than ours, or a session that is not ours.
 */
const STATES = /^(?:08...|40...|53...|55...|57P0.|57014|58...|25006|3D000|28...|42P01|42703|42883|42P05|26000)$/;
/** The driver has no codes of its own. */
const MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|connection ended|query read timeout|is not queryable/i;

/** Whether the error says that the database could not do it now, rather than that we asked for something wrong. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoConnection) return true;
  const code = String((error as { code?: unknown }).code ?? '');
  if (NETWORK.test(code) || STATES.test(code) || MESSAGES.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  return error.cause !== undefined && isUnavailable(error.cause);
}
