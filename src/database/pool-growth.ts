// Database: how a pool comes by its connections: a new one where it may grow, or one that becomes free before.
import type { Pool, PoolClient } from 'pg';

/** How long a pool that was refused more connections makes do with those it has. */
const ENOUGH_MS = 10_000;
/** What PostgreSQL says where the server, the database or the role has no connection left. */
const TOO_MANY_CONNECTIONS = '53300';

export const isRefusedMore = (error: Error): boolean => (error as { code?: string }).code === TOO_MANY_CONNECTIONS;

const isTimeout = (error: Error): boolean =>
  /connection timeout|timeout expired|query read timeout/i.test(error.message);

/**
 * Makes the pool's connections. While there is one to wait for, the pool makes another only where it is told to: by itself
 * it would give those who wait for a free one a new one in its place, and that may never be had.
 */
export class PoolGrowth {
  readonly #pool: Pool;
  readonly #held: ReadonlySet<PoolClient>;
  readonly #most: number;
  readonly #ask: () => Promise<PoolClient>;
  readonly #making = new Set<Promise<PoolClient>>();
  /** Fewer than the most for a while after the server refused more. */
  #limit: number;
  #untilMore: NodeJS.Timeout | undefined;
  /** What the pool is told to do with the request that is being handed to it. */
  #told: 'grow' | 'wait' | undefined;
  #lastUsed = Number.NEGATIVE_INFINITY;

  /** `held`: the connections that are open and may be used. */
  constructor(pool: Pool, held: ReadonlySet<PoolClient>) {
    const { options } = pool;
    this.#pool = pool;
    this.#held = held;
    this.#most = options.max ?? 0;
    this.#limit = this.#most;
    this.#ask = pool.connect.bind(pool) as () => Promise<PoolClient>;
    Object.defineProperty(options, 'max', { get: () => (this.#mayGrow() ? this.#limit : this.#present()) });
  }

  /** A connection that is idle, that becomes free, or that is made to the server at `url`. */
  connect(url: string): Promise<PoolClient> {
    const made = this.#takeOrMake(url);
    this.#making.add(made);
    const done = () => this.#making.delete(made);
    made.then(done, done);
    return made;
  }

  /** A connection was used, and is free again. */
  used(): void {
    this.#lastUsed = performance.now();
  }

  /** After one was lost: makes another where requests wait. None of them waits for it alone; once there, it serves the first. */
  replace(): void {
    if (this.#held.size === 0 || this.#pool.waitingCount === 0 || this.#pool.totalCount >= this.#limit) return;
    this.#askTo('grow').then(
      (client) => client.release(),
      () => {},
    );
  }

  /** Whether there is a connection to wait for, or one of those that are being made is to be had. Those that are not are none. */
  async hasAny(): Promise<boolean> {
    if (this.#held.size === 0) await Promise.any(this.#making).catch(() => {});
    return this.#held.size > 0;
  }

  /** Makes do for a while with what is open: not with those that are being made, in the stead of which the pool would make others. */
  makeDo(): void {
    clearTimeout(this.#untilMore);
    this.#limit = Math.max(1, this.#held.size);
    this.#untilMore = setTimeout(() => {
      this.#limit = this.#most;
    }, ENOUGH_MS).unref();
  }

  #mayGrow(): boolean {
    return this.#told === 'grow' || (this.#told === undefined && this.#held.size === 0);
  }

  #present(): number {
    return Math.min(this.#limit, this.#pool.totalCount);
  }

  #askTo(what: 'grow' | 'wait'): Promise<PoolClient> {
    this.#told = what;
    try {
      return this.#ask();
    } finally {
      this.#told = undefined;
    }
  }

  async #takeOrMake(url: string): Promise<PoolClient> {
    const pool = this.#pool;
    // Requests that came before are handed the idle connections in the next tick, so those are not free for this one.
    while (pool.idleCount > 0 && pool.waitingCount >= pool.idleCount) await new Promise(setImmediate);
    // Not before: others may have set theirs meanwhile.
    pool.options.connectionString = url;
    const grows = pool.idleCount === 0 && pool.totalCount > 0 && pool.totalCount < this.#limit;
    return grows ? this.#newOrFreed() : this.#ask();
  }

  /** A new connection, or one that becomes free before. */
  #newOrFreed(): Promise<PoolClient> {
    const began = performance.now();
    let settled = false;
    const first = (client: PoolClient): PoolClient => {
      if (settled) client.release();
      settled = true;
      return client;
    };
    const opened = this.#askTo('grow').then(first);
    const freed = this.#askTo('wait').then(first);
    const orFreed = (error: Error): Promise<PoolClient> => {
      if (this.#isFull(error, began)) {
        this.makeDo();
        return freed;
      }
      settled = true;
      throw error;
    };
    return Promise.race([opened.catch(orFreed), freed.catch(() => opened)]);
  }

  /** A pooler lets wait where PostgreSQL refuses; a server that answers others meanwhile is not away. */
  #isFull(error: Error, began: number): boolean {
    const isSilent = isTimeout(error) && this.#lastUsed > began;
    return this.#pool.totalCount > 0 && (isRefusedMore(error) || isSilent);
  }
}
