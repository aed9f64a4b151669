// Database: the settings of a session, and the check that they are in force on a usable server.
import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { PreparedRead, STATEMENT_PREFIX, submit } from './prepared-read.ts';
import { parserOf } from './wire-types.ts';

/** Values by name, for `set_config`. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * The settings that answers depend on. They are set in every session instead of by start-up options, which options in
 * the URL would replace and poolers drop. Databases and roles may have other defaults.
 */
const SETTINGS: SessionSettings = {
  // Output formats: times, dates, bytes and floating point are parsed in one form only.
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  bytea_output: 'hex',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
  // How the SQL itself is interpreted.
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  search_path: 'public',
  // One statement reads the moment and a later one the data that it covers. Each is to have a snapshot of its own.
  default_transaction_isolation: 'read committed',
  // JIT compilation costs more than any of our statements.
  jit: 'off',
};

/**
 * SQL for the setting of `synchronous_commit`: an acknowledged commit must be durable, above all a revocation. Whether
 * commits wait for standbys is the operator's choice.
 */
const DURABLE = "coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on')";

/** The identity of a session's server, as reported by the server. */
export interface ServerIdentity {
  cluster: string;
  /** Null for a standby. */
  timeline: number | null;
}

/** A session that must not be used. The message gives the reason. */
export class UnusableSession extends Error {
  override name = 'UnusableSession';
}

export interface SessionDemands {
  /** Settings in addition to those that answers depend on. */
  settings: SessionSettings;
  /** The cluster whose standbys are accepted; absent where a primary is needed. */
  replicaOf?: string | undefined;
  /** Off for the embedded server, where all connections share one session. */
  own: boolean;
  patienceMs: number;
}

/** The setting that identifies the connection of a session. */
const OWNER = 'portico.connection';

/** SQL for the name of the session; null where it has none. */
export const SESSION_NAME = `current_setting('${OWNER}', true)`;

const sessionNames = new WeakMap<PoolClient, string>();

/** The name that the connection gave its session; undefined for the embedded server. */
export const sessionOf = (client: PoolClient): string | undefined => sessionNames.get(client);

const SHARED =
  'a pooler shares sessions between connections; for PgBouncer set pool_mode = session and server_reset_query = DISCARD ALL';

/** SQL for the identifier that a primary shares only with its standbys and restored backups. */
export const CLUSTER = '(select system_identifier::text from pg_control_system())';

/** SQL for the timeline that a primary writes. It increases with each promotion. */
export const TIMELINE = `('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int`;

/** Ends statements of disconnected clients within a second. Not available before PostgreSQL 14, nor on every system. */
const NOTICE_LOSS = `do $$ begin set client_connection_check_interval = 1000;
exception when undefined_object or invalid_parameter_value then null; end $$`;

/**
 * Sets up the session, and checks in a separate statement that the settings are in force, that the session belongs to
 * this connection alone, and that its server is usable. Throws UnusableSession.
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
  // A pooler that shares sessions hands out that of another connection, or renames its statements.
  if (own && rows[0].owner) throw new UnusableSession(SHARED);
  // Must directly follow the statement above: of two sessions in turn, every second statement meets the same one.
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

/** Throws where the session does not have the connection's name: a pooler has begun to share sessions. */
export function requireOwn(found: string | null | undefined, session: string | undefined): void {
  if (session !== undefined && found !== session) throw new UnusableSession(SHARED);
}

/** Whether a connection has met another's session, or another's prepared statement, because sessions are shared. */
export const isOfAnother = (error: unknown): boolean =>
  error instanceof UnusableSession || ['42P05', '26000'].includes((error as { code?: string } | undefined)?.code ?? '');

function refuseShared(error: Error): never {
  throw isOfAnother(error) ? new UnusableSession(SHARED) : error;
}
