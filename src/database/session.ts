// Database: what a session is set to, and the check that it is so, on a server that can be used.
import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { PreparedRead, STATEMENT_PREFIX, submit } from './prepared-read.ts';
import { parserOf } from './wire-types.ts';

/** By name, as `set` takes them. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * What answers depend on. Set in every session rather than with start-up options, which those of the URL would replace and
 * poolers drop, and which databases and roles may have other defaults for.
 */
const SETTINGS: SessionSettings = {
  // How values are written: times, dates, bytes and floating point are read in one form only.
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  bytea_output: 'hex',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
  // How our own texts are read.
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  search_path: 'public',
  // A moment is said by one statement, and what it vouches for is read by the next.
  default_transaction_isolation: 'read committed',
  // Compiling a plan costs more than any of our statements.
  jit: 'off',
};

/**
 * SQL for what commits wait for: what is answered is kept, a revocation above all. Where standbys are waited for, or not, is the
 * operator's choice.
 */
const DURABLE = "coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on')";

/** What a session's server is, as it says itself. */
export interface ServerIdentity {
  cluster: string;
  /** Null of a standby. */
  timeline: number | null;
}

/** A session that must not be used. Its message says why. */
export class UnusableSession extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnusableSession';
  }
}

export interface SessionDemands {
  /** Beside those that answers depend on. */
  settings: SessionSettings;
  /** The cluster of which a standby will do; absent where a primary is wanted. */
  replicaOf?: string | undefined;
  /** Off for the embedded server, whose one session all connections share. */
  own: boolean;
  patienceMs: number;
}

/** Names the connection that a session is of. */
const OWNER = 'portico.connection';

/** SQL for that name, as the session has it; null where it was given none. */
export const SESSION_NAME = `current_setting('${OWNER}', true)`;

const sessionNames = new WeakMap<PoolClient, string>();

/** What the connection named its session; undefined for the embedded server. */
export const sessionOf = (client: PoolClient): string | undefined => sessionNames.get(client);

const SHARED =
  "sessions are not the connection's own; of PgBouncer this needs pool_mode = session and server_reset_query = DISCARD ALL";

/** SQL for what a primary shares with its standbys and its restored backups, and with no other. */
export const CLUSTER = '(select system_identifier::text from pg_control_system())';

/** SQL for the timeline that a primary writes: it grows with each promotion. */
export const TIMELINE = `('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int`;

/** Statements of clients that are gone end within a second. Not before PostgreSQL 14, and not on every system. */
const NOTICE_LOSS = `do $$ begin set client_connection_check_interval = 1000;
exception when undefined_object or invalid_parameter_value then null; end $$`;

/**
 * Sets the session, and checks in a statement of its own that it is set, that it is this connection's alone, and that its
 * server can be used. Throws UnusableSession.
 */
export async function prepareSession(
  client: PoolClient,
  { settings: further, replicaOf, own, patienceMs }: SessionDemands,
): Promise<ServerIdentity> {
  const settings = { ...SETTINGS, ...further };
  const names = Object.keys(settings);
  const owner = randomUUID();
  const setting = {
    text: `select ${SESSION_NAME} as owner, set_config('${OWNER}', $1, false),
      array[${names.map((name, at) => `set_config('${name}', $${at + 2}, false)`).join(', ')}] as settings,
      set_config('synchronous_commit', ${DURABLE}, false)`,
    values: [owner, ...Object.values(settings)],
    query_timeout: patienceMs,
  };
  const { rows } = await client.query(setting);
  // A pooler that lets connections share sessions gives that of another one, or renames their statements.
  if (own && rows[0].owner) throw new UnusableSession(SHARED);
  // Next after it, nothing between: of two sessions that a pooler gives in turn, every second statement meets the same one.
  const check = {
    text: `select ${SESSION_NAME} as owner,
      array[${names.map((name) => `current_setting('${name}')`).join(', ')}] as settings,
      current_setting('synchronous_commit') as commits,
      current_setting('transaction_isolation') as isolation, pg_is_in_recovery() as standby,
      current_setting('transaction_read_only')::boolean as "readOnly",
      ${CLUSTER} as cluster,
      case when not pg_is_in_recovery() then ${TIMELINE} end as timeline,
      exists (select from pg_prepared_statements where starts_with(name, '${STATEMENT_PREFIX}')) as prepared`,
    values: [],
  };
  const [found] = own
    ? await submit(client, new PreparedRead({ ...check, patienceMs }, parserOf)).catch(refuseShared)
    : (await client.query({ ...check, ...{ query_timeout: patienceMs } })).rows;
  if (found === undefined) throw new UnusableSession('the server does not say how it is');
  if (own && (found.owner !== owner || !found.prepared)) throw new UnusableSession(SHARED);
  for (const [at, name] of names.entries())
    if (found.settings[at] !== rows[0].settings[at])
      throw new UnusableSession(`${name} is ${found.settings[at]} where it was set to ${settings[name]}`);
  if (found.commits === 'off') throw new UnusableSession('synchronous_commit is off');
  if (found.isolation !== settings.default_transaction_isolation)
    throw new UnusableSession(`transactions are ${found.isolation}`);
  if (replicaOf !== undefined) {
    if (found.cluster !== replicaOf) throw new UnusableSession('the server is no replica of the primary');
  } else if (found.standby) throw new UnusableSession('the server is a standby');
  else if (found.readOnly) throw new UnusableSession('the server is read-only');
  await client.query({ text: NOTICE_LOSS, ...{ query_timeout: patienceMs } });
  if (own) sessionNames.set(client, owner);
  return { cluster: found.cluster, timeline: found.timeline };
}

/** Throws where a connection has another session than the one that it named: a pooler has begun to share them since. */
export function requireOwn(found: string | null | undefined, session: string | undefined): void {
  if (session !== undefined && found !== session) throw new UnusableSession(SHARED);
}

/** Whether a connection has met a session that is not its own, or a statement in it was prepared by another one, or for one. */
export const isOfAnother = (error: unknown): boolean =>
  error instanceof UnusableSession || ['42P05', '26000'].includes((error as { code?: string } | undefined)?.code ?? '');

function refuseShared(error: Error): never {
  throw isOfAnother(error) ? new UnusableSession(SHARED) : error;
}
