// Limits: a circuit breaker that opens at the first failure and closes by probing.

import type { Cluster, Redis } from 'ioredis';
import { BUCKETS } from '#limits/sliding-window.ts';

/**
 * `redis`: Redis decides. `local`: it is away, this gateway decides alone. `recovering`: Redis is back for less than a
 * window, so it may not know all that gateways admitted without it.
 */
export type RedisStatus = 'redis' | 'local' | 'recovering';

/** `cause` is what made Redis unusable, where something did. Must not throw. */
export type OnStateChange = (status: RedisStatus, cause?: Error) => void;

const PROBE_EVERY_MS = 100;
const FIRST_CONTACT_MS = 1_000;

export class RedisWatch {
  /** Resolves when Redis has answered for the first time, or after a second without it. */
  readonly ready: Promise<void>;
  readonly #redis: Redis | Cluster;
  readonly #sendProbe: (subject: string) => Promise<void>;
  readonly #patienceMs: number;
  readonly #onStateChange: OnStateChange;
  #firstContact: () => void = () => {};
  #status: RedisStatus = 'local';
  #cause: Error | undefined;
  #decidedAlone = false;
  #subject = '';
  #probing = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  /** `probe` must need from Redis what a request for that subject needs; slower than `patienceMs` counts as away. */
  constructor(
    redis: Redis | Cluster,
    probe: (subject: string) => Promise<void>,
    patienceMs: number,
    onStateChange: OnStateChange = () => {},
  ) {
    this.#redis = redis;
    this.#sendProbe = probe;
    this.#patienceMs = patienceMs;
    this.#onStateChange = onStateChange;
    this.ready = new Promise((resolve) => {
      this.#firstContact = resolve;
      setTimeout(resolve, FIRST_CONTACT_MS).unref();
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

  /** Whether to ask Redis about a request; if not, the caller decides alone. */
  usable(): boolean {
    if (this.#status !== 'local') return true;
    this.#decidedAlone = true;
    return false;
  }

  /** Redis failed a request of this subject: it is not asked again before a probe at the same place succeeds. */
  lost(subject: string, cause: Error): void {
    if (this.#status === 'local') return;
    this.#subject = subject;
    this.#decidedAlone = true;
    this.#become('local', cause);
    this.#probeLater();
  }

  close(): void {
    this.#closed = true;
    this.#status = 'local';
    clearTimeout(this.#timer);
    this.#firstContact();
    this.#redis.disconnect();
  }

  // One probe at a time: a frozen Redis keeps it until it thaws, and that answer is late.
  async #probe(): Promise<void> {
    if (this.#probing || this.#closed || this.#status !== 'local') return;
    this.#probing = true;
    const sent = performance.now();
    const answered = await this.#sendProbe(this.#subject).then(
      () => performance.now() - sent <= this.#patienceMs,
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
    this.#firstContact();
    this.#cause = undefined;
    this.#become(this.#decidedAlone ? 'recovering' : 'redis');
    if (this.#decidedAlone) this.#timer = setTimeout(() => this.#become('redis'), BUCKETS * 1000).unref();
    this.#decidedAlone = false;
  }

  #become(status: RedisStatus, cause?: Error): void {
    this.#status = status;
    this.#onStateChange(status, cause);
  }
}
