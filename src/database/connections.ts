// Database: which connections a pool makes and keeps: to one primary at a time, and as many as it is given.
import type { Connection, Pool, PoolClient } from 'pg';
import { describeFailure } from '#core/certificates.ts';
import { hostOf } from '#core/database-url.ts';
import { isOfAnother, prepareSession, type ServerIdentity, type SessionDemands, UnusableSession } from './session.ts';

/** Nobody waits longer for a connection; where there are several hosts, for any of them. */
const PATIENCE_MS = 4_000;
const PATIENCE_OF_SEVERAL_MS = 2_000;
/** How long a pool that was refused more connections makes do with those it has. */
const ENOUGH_MS = 10_000;

export const connectPatience = (hosts: number): number => (hosts > 1 ? PATIENCE_OF_SEVERAL_MS : PATIENCE_MS);

/** There is no connection to be had. The message says why, of each host. */
export class NoConnection extends Error {
  /** The driver's, where it has one. */
  readonly code: string | undefined;

  constructor(failures: readonly { url: string; error: Error }[]) {
    const reasons = failures.map(({ url, error }) =>
      failures.length === 1 ? reasonOf(error) : `${hostOf(url)}: ${reasonOf(error)}`,
    );
    super(reasons.join('; '), { cause: failures[0]?.error });
    this.name = 'NoConnection';
    this.code = codeOf(failures[0]?.error);
  }
}

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code;
/** Where a name has several addresses, the error for all of them has no message. */
const reasonOf = (error: Error): string => describeFailure(error) || codeOf(error) || error.name;

/** Waiting for a free connection, not for a new one. */
const isBusy = (error: Error): boolean => error.message === 'timeout exceeded when trying to connect';
const isTimeout = (error: Error): boolean =>
  /connection timeout|timeout expired|query read timeout/i.test(error.message);
/** What PostgreSQL says where the server, the database or the role has no connection left. */
const TOO_MANY_CONNECTIONS = '53300';

type Callback = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

/**
 * Has the pool connect to the first of `urls` that can be used, prepare each session, and hold connections to one primary
 * only: once a server of a later timeline was met, connections to those before it end, and no new one is made. Connections
 * for which `admit` throws are not used. Where the server gives no more connections, requests wait for those there are.
 */
export function governConnections(
  pool: Pool,
  urls: readonly string[],
  demands: Omit<SessionDemands, 'patienceMs'>,
  admit: (client: PoolClient) => Promise<void>,
): void {
  const { options } = pool;
  const most = options.max ?? 0;
  const patienceMs = connectPatience(urls.length);
  const connectOnce = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const held = new Set<PoolClient>();
  let server: ServerIdentity | null = null;
  let lastUsed = Number.NEGATIVE_INFINITY;
  let current = 0;

  let limit = most;
  let may: 'grow' | 'wait' | undefined;
  // While there is a connection to wait for, the pool makes another only where it is told to: by itself it would give those who
  // wait for a free one a new one in its place, and that may never be had.
  Object.defineProperty(options, 'max', {
    get: () => (may === 'grow' || (may === undefined && held.size === 0) ? limit : Math.min(limit, pool.totalCount)),
  });
  const connectAs = (what: typeof may): Promise<PoolClient> => {
    may = what;
    try {
      return connectOnce();
    } finally {
      may = undefined;
    }
  };

  const adopt = (found: ServerIdentity): void => {
    if (server !== null && found.cluster !== server.cluster)
      throw new UnusableSession('the server is of another cluster than the one that this process began with');
    const [timeline, known] = [found.timeline ?? 0, server?.timeline ?? 0];
    if (timeline < known)
      throw new UnusableSession(`the server is on timeline ${timeline}, which ${known} has replaced`);
    if (timeline > known) for (const other of held) end(other);
    server = found;
  };
  options.onConnect = async (client) => {
    const found = await prepareSession(client as PoolClient, { ...demands, patienceMs });
    if (demands.replicaOf === undefined) adopt(found);
    await admit(client as PoolClient);
    held.add(client as PoolClient);
  };
  pool.on('remove', (client) => {
    held.delete(client);
    // No request waits for its replacement alone: once connected, that serves the first one in the queue.
    if (held.size > 0 && pool.waitingCount > 0 && pool.totalCount < limit)
      connectAs('grow').then(
        (other) => other.release(),
        () => {},
      );
  });
  pool.on('release', (error) => {
    if (!error) lastUsed = performance.now();
    // Where one has another's session, any may; those that are made anew are set, and checked for it.
    if (isOfAnother(error)) for (const one of held) end(one);
  });

  let enough: NodeJS.Timeout | undefined;
  const makeDo = (): void => {
    clearTimeout(enough);
    // Not those that are being made, in the stead of which the pool would make others.
    limit = Math.max(1, held.size);
    enough = setTimeout(() => {
      limit = most;
    }, ENOUGH_MS).unref();
  };
  /** A pooler lets wait where PostgreSQL refuses; a server that answers others meanwhile is not away. */
  const isFull = (error: Error, began: number): boolean =>
    pool.totalCount > 0 && (codeOf(error) === TOO_MANY_CONNECTIONS || (isTimeout(error) && lastUsed > began));

  /** A new connection, or one that becomes free before. */
  const newOrFreed = (): Promise<PoolClient> => {
    const began = performance.now();
    let settled = false;
    const first = (client: PoolClient): PoolClient => {
      if (settled) client.release();
      settled = true;
      return client;
    };
    const opened = connectAs('grow').then(first);
    const freed = connectAs('wait').then(first);
    const orFreed = (error: Error): Promise<PoolClient> => {
      if (isFull(error, began)) {
        makeDo();
        return freed;
      }
      settled = true;
      throw error;
    };
    return Promise.race([opened.catch(orFreed), freed.catch(() => opened)]);
  };

  const making = new Set<Promise<PoolClient>>();
  const takeOrMake = async (url: string): Promise<PoolClient> => {
    // Requests that came before are handed the idle connections in the next tick, so those are not free for this one.
    while (pool.idleCount > 0 && pool.waitingCount >= pool.idleCount) await new Promise(setImmediate);
    // Not before: others may have set theirs meanwhile.
    options.connectionString = url;
    const grows = pool.idleCount === 0 && pool.totalCount > 0 && pool.totalCount < limit;
    return grows ? newOrFreed() : connectOnce();
  };
  const make = (url: string): Promise<PoolClient> => {
    const made = takeOrMake(url);
    making.add(made);
    const done = () => making.delete(made);
    made.then(done, done);
    return made;
  };
  /** Whether there is a connection to wait for, or one of those that are being made is to be had. Those that are not are none. */
  const hasAny = async (): Promise<boolean> => {
    if (held.size === 0) await Promise.any(making).catch(() => {});
    return held.size > 0;
  };

  const connect = async (): Promise<PoolClient> => {
    const failures: { url: string; error: Error }[] = [];
    const began = performance.now();
    const start = current;
    for (;;) {
      const url = urls[(start + failures.length) % urls.length] ?? '';
      try {
        return await make(url);
      } catch (thrown) {
        const error = thrown as Error;
        if (codeOf(error) === TOO_MANY_CONNECTIONS && (await hasAny()) && performance.now() - began < patienceMs) {
          makeDo();
          continue;
        }
        failures.push({ url, error });
        if (isBusy(error)) throw new NoConnection(failures);
        // Whoever comes now begins with the next host.
        if (urls[current] === url) current = (current + 1) % urls.length;
        if (failures.length === urls.length) throw new NoConnection(failures);
      }
    }
  };

  pool.connect = ((callback?: Callback) => {
    const connecting = connect();
    if (callback === undefined) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    );
  }) as Pool['connect'];
}

/** Whatever runs on it fails, and the pool lets it go. */
function end(client: PoolClient): void {
  (client as unknown as { connection: Connection }).connection.stream.destroy();
}
