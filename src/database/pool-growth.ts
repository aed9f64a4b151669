// Database: how a pool gets its connections: a new one where it may grow, or one that becomes free earlier.
import type { Pool, PoolClient } from 'pg';

/** After the server has refused a connection, how long the pool does not grow. */
const GROWTH_PAUSE_MS = 10_000;
/** SQLSTATE when the server, the database or the role has no connection left. */
const TOO_MANY_CONNECTIONS = '53300';

export const isRefusedMore = (error: Error): boolean => (error as { code?: string }).code === TOO_MANY_CONNECTIONS;

const isTimeout = (error: Error): boolean =>
  /connection timeout|timeout expired|query read timeout/i.test(error.message);

/**
 * Makes the pool's connections. While there is a connection to wait for, the pool opens another only on request: by
 * itself it would assign a caller to a new connection, which the server may never give, instead of one that becomes
 * free.
 */
export class PoolGrowth {
  readonly #pool: Pool;
  readonly #usable: ReadonlySet<PoolClient>;
  readonly #max: number;
  readonly #connect: () => Promise<PoolClient>;
  readonly #opening = new Set<Promise<PoolClient>>();
  /** Below the maximum for a while after the server refused a connection. */
  #limit: number;
  #pauseTimer: NodeJS.Timeout | undefined;
  /** What the pool should do with the request that is being passed to it. */
  #mode: 'grow' | 'wait' | undefined;
  #lastUsed = Number.NEGATIVE_INFINITY;

  /** `usable`: the open connections that can be used. */
  constructor(pool: Pool, usable: ReadonlySet<PoolClient>) {
    const { options } = pool;
    this.#pool = pool;
    this.#usable = usable;
    this.#max = options.max ?? 0;
    this.#limit = this.#max;
    this.#connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
    Object.defineProperty(options, 'max', { get: () => (this.#mayGrow() ? this.#limit : this.#currentSize()) });
  }

  /** A connection that is idle, becomes free, or is opened to the server at `url`. */
  connect(url: string): Promise<PoolClient> {
    const connection = this.#takeOrOpen(url);
    this.#opening.add(connection);
    const done = () => this.#opening.delete(connection);
    connection.then(done, done);
    return connection;
  }

  /** To be called when a connection becomes free after use. */
  used(): void {
    this.#lastUsed = performance.now();
  }

  /** To be called after a connection was lost: opens another where requests wait, for the first of them. */
  replace(): void {
    if (this.#usable.size === 0 || this.#pool.waitingCount === 0 || this.#pool.totalCount >= this.#limit) return;
    this.#request('grow').then(
      (client) => client.release(),
      () => {},
    );
  }

  /** Whether there is a usable connection to wait for. Where there is none yet, waits for one that is being made. */
  async hasAny(): Promise<boolean> {
    if (this.#usable.size === 0) await Promise.any(this.#opening).catch(() => {});
    return this.#usable.size > 0;
  }

  /**
   * Limits the pool for a while to the open connections. Those being made are not counted, or the pool would make
   * others.
   */
  pauseGrowth(): void {
    clearTimeout(this.#pauseTimer);
    this.#limit = Math.max(1, this.#usable.size);
    this.#pauseTimer = setTimeout(() => {
      this.#limit = this.#max;
    }, GROWTH_PAUSE_MS).unref();
  }

  #mayGrow(): boolean {
    return this.#mode === 'grow' || (this.#mode === undefined && this.#usable.size === 0);
  }

  #currentSize(): number {
    return Math.min(this.#limit, this.#pool.totalCount);
  }

  #request(mode: 'grow' | 'wait'): Promise<PoolClient> {
    this.#mode = mode;
    try {
      return this.#connect();
    } finally {
      this.#mode = undefined;
    }
  }

  async #takeOrOpen(url: string): Promise<PoolClient> {
    const pool = this.#pool;
    // Earlier requests get the idle connections in the next tick, so those are not free for this one.
    while (pool.idleCount > 0 && pool.waitingCount >= pool.idleCount) await new Promise(setImmediate);
    // Set last, because other requests may have set theirs meanwhile.
    pool.options.connectionString = url;
    const grows = pool.idleCount === 0 && pool.totalCount > 0 && pool.totalCount < this.#limit;
    return grows ? this.#newOrFreed() : this.#connect();
  }

  /** A new connection, or one that becomes free earlier. */
  #newOrFreed(): Promise<PoolClient> {
    const began = performance.now();
    let settled = false;
    const first = (client: PoolClient): PoolClient => {
      if (settled) client.release();
      settled = true;
      return client;
    };
    const opened = this.#request('grow').then(first);
    const freed = this.#request('wait').then(first);
    const orFreed = (error: Error): Promise<PoolClient> => {
      if (this.#isFull(error, began)) {
        this.pauseGrowth();
        return freed;
      }
      settled = true;
      throw error;
    };
    return Promise.race([opened.catch(orFreed), freed.catch(() => opened)]);
  }

  /**
   * A pooler lets connections wait where PostgreSQL refuses. A server that answered another one meanwhile is not away.
   */
  #isFull(error: Error, began: number): boolean {
    const isSilent = isTimeout(error) && this.#lastUsed > began;
    return this.#pool.totalCount > 0 && (isRefusedMore(error) || isSilent);
  }
}
