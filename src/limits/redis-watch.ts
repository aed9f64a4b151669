// Limits: whether Redis is usable. A circuit breaker, open from a failure until a probe is answered.

import type { Cluster, Redis } from 'ioredis';
import { GONE_MS } from './peers.ts';

/**
 * `redis`: Redis decides. `local`: Redis is away and this gateway decides alone. `recovering`: Redis is back, but not
 * all gateways have told it yet what they admitted meanwhile.
 */
export type RedisStatus = 'redis' | 'local' | 'recovering';

/** `cause` is the failure of Redis, if there was one. Must not throw. */
export type OnStateChange = (status: RedisStatus, cause?: Error) => void;

const PROBE_EVERY_MS = 100;
/** A single late answer is no failure. Redis is away when answers were missing for this long without a break. */
const AWAY_MS = 1_000;
const FIRST_CONTACT_MS = 1_000;
/**
 * Maximum time that a starting gateway waits for Redis. Meanwhile other gateways may admit all of a limit; longer
 * outages are not covered.
 */
export const START_MS = GONE_MS;

export interface WatchOptions {
  onStateChange?: OnStateChange | undefined;
  /** Redis was not reached within a second of the start; `cause` where it is known. Must not throw. Default: `wait`. */
  onAbsent?: ((cause: Error | undefined) => 'wait' | 'start') | undefined;
}

export class RedisWatch {
  /**
   * Resolves when Redis decides and the other gateways know of this one; without Redis after 65 s, or after a second
   * where `onAbsent` returns `start`.
   */
  readonly ready: Promise<void>;
  readonly #redis: Pick<Redis | Cluster, 'on' | 'disconnect'>;
  readonly #sendProbe: (subject: string | null) => Promise<void>;
  readonly #onStateChange: OnStateChange;
  #start: () => void = () => {};
  #status: RedisStatus = 'local';
  #cause: Error | undefined;
  #onLost: () => void = () => {};
  #onBack: () => void = () => {};
  #wasAway = false;
  /** Number of late answers still missing. */
  #missing = 0;
  #missingTimer: NodeJS.Timeout | undefined;
  /** The subject whose command failed, and which is probed; null: the registry of gateways. */
  #subject: string | null = null;
  #probing = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  /** `probe` must need the same of Redis as a request for the subject; null: as the registry of gateways. */
  constructor(
    redis: Pick<Redis | Cluster, 'on' | 'disconnect'>,
    probe: (subject: string | null) => Promise<void>,
    { onStateChange = () => {}, onAbsent = () => 'wait' }: WatchOptions = {},
  ) {
    this.#redis = redis;
    this.#sendProbe = probe;
    this.#onStateChange = onStateChange;
    this.ready = new Promise((resolve) => {
      const patience = setTimeout(resolve, START_MS);
      const first = setTimeout(() => {
        if (this.#status === 'local' && onAbsent(this.#cause) === 'start') this.#start();
      }, FIRST_CONTACT_MS);
      this.#start = () => {
        clearTimeout(patience);
        clearTimeout(first);
        resolve();
      };
    });
    redis.on('error', (error: Error) => {
      this.#cause = error;
    });
    redis.on('close', () => this.lost(this.#subject, this.#cause ?? new Error('the connection to Redis was closed')));
    redis.on('ready', () => void this.#probe());
    this.#probeLater();
  }

  get status(): RedisStatus {
    return this.#status;
  }

  onLost(listener: () => void): void {
    this.#onLost = listener;
  }

  onBack(listener: () => void): void {
    this.#onBack = listener;
  }

  /** Whether to send a request to Redis. False while a late answer is missing. */
  usable(): boolean {
    return this.#status !== 'local' && this.#missing === 0;
  }

  /** To be called when Redis has not answered in time. */
  late(subject: string | null, answer: Promise<unknown>): void {
    if (this.#missing++ === 0) {
      const away = () => this.lost(subject, new Error(`no answer from Redis for ${AWAY_MS} ms`));
      this.#missingTimer = setTimeout(away, AWAY_MS).unref();
    }
    const arrived = () => {
      if (--this.#missing === 0) clearTimeout(this.#missingTimer);
    };
    answer.then(arrived, arrived);
  }

  /**
   * To be called when Redis failed a request of this subject, or a beat (null). Redis is not used again before a probe
   * in the same hash slot succeeds.
   */
  lost(subject: string | null, cause: Error): void {
    if (this.#status === 'local') return;
    this.#subject = subject;
    this.#wasAway = true;
    this.#onLost();
    this.#become('local', cause);
    this.#probeLater();
  }

  /** To be called when the other gateways know of this one. */
  joined(): void {
    this.#start();
  }

  /** To be called when all gateways have told Redis what they owed it. */
  settled(): void {
    if (this.#status === 'recovering') this.#become('redis');
  }

  close(): void {
    this.#closed = true;
    this.#status = 'local';
    clearTimeout(this.#timer);
    clearTimeout(this.#missingTimer);
    this.#start();
    this.#redis.disconnect();
  }

  // One probe at a time: a frozen Redis holds it until it continues.
  async #probe(): Promise<void> {
    if (this.#probing || this.#closed || this.#status !== 'local') return;
    this.#probing = true;
    const answered = await this.#sendProbe(this.#subject).then(
      () => true,
      () => false,
    );
    this.#probing = false;
    if (answered && !this.#closed) this.#back();
    else this.#probeLater();
  }

  #probeLater(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => void this.#probe(), PROBE_EVERY_MS).unref();
  }

  #back(): void {
    clearTimeout(this.#timer);
    this.#cause = undefined;
    this.#become(this.#wasAway ? 'recovering' : 'redis');
    this.#wasAway = false;
    this.#onBack();
  }

  #become(status: RedisStatus, cause?: Error): void {
    this.#status = status;
    this.#onStateChange(status, cause);
  }
}
