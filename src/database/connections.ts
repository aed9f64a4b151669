// Database: which connections a pool opens and keeps: to one primary at a time, and only as many as the server accepts.
import type { Connection, Pool, PoolClient } from 'pg';
import { describeFailure } from '#core/certificates.ts';
import { hostOf } from '#core/database-url.ts';
import { isGivenUp } from './cancel.ts';
import { isRefusedMore, PoolGrowth } from './pool-growth.ts';
import { isOfAnother, prepareSession, type ServerIdentity, type SessionDemands, UnusableSession } from './session.ts';

/** Maximum time to connect; the shorter one per host where there are several. */
const PATIENCE_MS = 4_000;
const PATIENCE_OF_SEVERAL_MS = 2_000;

export const connectPatience = (hosts: number): number => (hosts > 1 ? PATIENCE_OF_SEVERAL_MS : PATIENCE_MS);

/** No connection could be made. The message gives the reason for each host. */
export class NoConnection extends Error {
  /** The driver's error code, if any. */
  readonly code: string | undefined;
  /** Of each host. The first one is also the cause. */
  readonly errors: readonly Error[];

  constructor(failures: readonly { url: string; error: Error }[]) {
    const reasons = failures.map(({ url, error }) =>
      failures.length === 1 ? reasonOf(error) : `${hostOf(url)}: ${reasonOf(error)}`,
    );
    super(reasons.join('; '), { cause: failures[0]?.error });
    this.name = 'NoConnection';
    this.code = codeOf(failures[0]?.error);
    this.errors = failures.map(({ error }) => error);
  }
}

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code;
function reasonOf(error: Error): string {
  if (isGivenUp(error)) return 'it accepts the connection and does not answer; a pooler may have no session left';
  if (/client password must be a/.test(error.message)) return 'it requires a password, and the URL has none';
  // For a name with several addresses, the combined error has no message.
  return describeFailure(error) || codeOf(error) || error.name;
}

/** Whether the error is a timeout while waiting for a free connection rather than a new one. */
const isBusy = (error: Error): boolean => error.message === 'timeout exceeded when trying to connect';

type Callback = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

/**
 * Makes the pool connect to the first usable one of `urls`, prepare each session, and keep connections to one primary
 * only: once it meets a server on a later timeline, it closes connections to earlier ones and opens no more.
 * Connections for which `admit` throws are not used. Where the server accepts no more connections, requests wait for
 * the existing ones.
 */
export function governConnections(
  pool: Pool,
  urls: readonly string[],
  demands: Omit<SessionDemands, 'patienceMs'>,
  admit: (client: PoolClient) => Promise<void>,
): void {
  const patienceMs = connectPatience(urls.length);
  const usable = new UsableConnections();
  const growth = new PoolGrowth(pool, usable);
  pool.options.onConnect = async (client) => {
    const found = await prepareSession(client as PoolClient, { ...demands, patienceMs });
    const adopt = () => demands.replicaOf === undefined && usable.adopt(found);
    adopt();
    await admit(client as PoolClient);
    // The server may have been replaced meanwhile.
    adopt();
    usable.add(client as PoolClient);
  };
  pool.on('remove', (client) => {
    usable.delete(client);
    growth.replace();
  });
  pool.on('release', (error) => {
    if (!error) growth.used();
    // If one connection has met another's session, any may have. New connections are set up and checked again.
    if (isOfAnother(error)) usable.endAll();
  });
  const connect = firstOf(urls, growth, patienceMs);
  pool.connect = ((callback?: Callback) => {
    const connecting = connect();
    if (callback === undefined) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    );
  }) as Pool['connect'];
}

/** The usable open connections, all to one primary. */
class UsableConnections extends Set<PoolClient> {
  #server: ServerIdentity | null = null;

  /** Records the primary, and closes the connections to one that it has replaced. Throws UnusableSession. */
  adopt(found: ServerIdentity): void {
    const server = this.#server;
    if (server !== null && found.cluster !== server.cluster)
      throw new UnusableSession('the server is of another cluster than the one that this process began with');
    const [timeline, current] = [found.timeline ?? 0, server?.timeline ?? 0];
    if (timeline < current)
      throw new UnusableSession(`the server is on timeline ${timeline}, which ${current} has replaced`);
    if (timeline > current) this.endAll();
    this.#server = found;
  }

  /** Running statements fail, and the pool drops the connections. */
  endAll(): void {
    for (const client of this) (client as unknown as { connection: Connection }).connection.stream.destroy();
  }
}

/** Connects to the first usable one of `urls`, beginning with the last that worked. Throws NoConnection. */
function firstOf(urls: readonly string[], growth: PoolGrowth, patienceMs: number): () => Promise<PoolClient> {
  let current = 0;
  return async () => {
    const failures: { url: string; error: Error }[] = [];
    const began = performance.now();
    const start = current;
    let waits = 0;
    for (;;) {
      const url = urls[(start + failures.length) % urls.length] ?? '';
      try {
        return await growth.connect(url);
      } catch (thrown) {
        const error = thrown as Error;
        if (isRefusedMore(error) && (await growth.hasAny()) && performance.now() - began < patienceMs) {
          growth.pauseGrowth();
          continue;
        }
        if (isBusy(error)) {
          // Callers wait for a connection to become free as long as where there is one host.
          waits += 1;
          if (waits * patienceMs < PATIENCE_MS) continue;
          throw new NoConnection([...failures, { url, error }]);
        }
        failures.push({ url, error });
        // Further callers begin with the next host.
        if (urls[current] === url) current = (current + 1) % urls.length;
        if (failures.length === urls.length) throw new NoConnection(failures);
      }
    }
  };
}
