// Database: which connections a pool makes and keeps: to one primary at a time, and as many as it is given.
import type { Connection, Pool, PoolClient } from 'pg';
import { describeFailure } from '#core/certificates.ts';
import { hostOf } from '#core/database-url.ts';
import { isRefusedMore, PoolGrowth } from './pool-growth.ts';
import { isOfAnother, prepareSession, type ServerIdentity, type SessionDemands, UnusableSession } from './session.ts';

/** Nobody waits longer for a connection; where there are several hosts, for any of them. */
const PATIENCE_MS = 4_000;
const PATIENCE_OF_SEVERAL_MS = 2_000;

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
  const patienceMs = connectPatience(urls.length);
  const held = new HeldConnections();
  const growth = new PoolGrowth(pool, held);
  pool.options.onConnect = async (client) => {
    const found = await prepareSession(client as PoolClient, { ...demands, patienceMs });
    const adopt = () => demands.replicaOf === undefined && held.adopt(found);
    adopt();
    await admit(client as PoolClient);
    // Its server may have been replaced meanwhile.
    adopt();
    held.add(client as PoolClient);
  };
  pool.on('remove', (client) => {
    held.delete(client);
    growth.replace();
  });
  pool.on('release', (error) => {
    if (!error) growth.used();
    // Where one has another's session, any may; those that are made anew are set, and checked for it.
    if (isOfAnother(error)) held.endAll();
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

/** The connections that are open and may be used, all of them to one primary. */
class HeldConnections extends Set<PoolClient> {
  #server: ServerIdentity | null = null;

  /** Takes note of the primary that was met, and ends the connections to one that it has replaced. Throws UnusableSession. */
  adopt(found: ServerIdentity): void {
    const server = this.#server;
    if (server !== null && found.cluster !== server.cluster)
      throw new UnusableSession('the server is of another cluster than the one that this process began with');
    const [timeline, known] = [found.timeline ?? 0, server?.timeline ?? 0];
    if (timeline < known)
      throw new UnusableSession(`the server is on timeline ${timeline}, which ${known} has replaced`);
    if (timeline > known) this.endAll();
    this.#server = found;
  }

  /** Whatever runs on them fails, and the pool lets them go. */
  endAll(): void {
    for (const client of this) (client as unknown as { connection: Connection }).connection.stream.destroy();
  }
}

/** Connects to the first of `urls` that can be used, beginning with the one that could be used last. Throws NoConnection. */
function firstOf(urls: readonly string[], growth: PoolGrowth, patienceMs: number): () => Promise<PoolClient> {
  let current = 0;
  return async () => {
    const failures: { url: string; error: Error }[] = [];
    const began = performance.now();
    const start = current;
    for (;;) {
      const url = urls[(start + failures.length) % urls.length] ?? '';
      try {
        return await growth.connect(url);
      } catch (thrown) {
        const error = thrown as Error;
        if (isRefusedMore(error) && (await growth.hasAny()) && performance.now() - began < patienceMs) {
          growth.makeDo();
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
}
