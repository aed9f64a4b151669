// Limits: Redis's decision, or this gateway's own where Redis does not answer in time.

import { randomUUID } from 'node:crypto';
import { Deadlines, LateError } from './deadlines.ts';
import { type Allowance, type Limited, Limiter, MAX_LIMIT, strictest } from './limiter.ts';
import type { LocalLimiter } from './local-limiter.ts';
import { BEAT_MS, type Claims, Peers } from './peers.ts';
import { Reconciliation } from './reconciliation.ts';
import type { Mode, SharedAllowance, SharedStore } from './redis-limiter.ts';
import type { RedisWatch } from './redis-watch.ts';

/** Timeout of Redis, extended while answers are slow. */
export const PATIENCE_MS = 50;

/** What to do with a request that Redis does not decide in time: decide locally, or answer `unavailable`. */
export type OnRedisFailure = 'local' | 'deny';

export interface ResilientOptions {
  onFailure: OnRedisFailure;
  patienceMs: number;
}

/** Bounds the claims that a flood of addresses can cause: 80 kB per beat. */
const MAX_CLAIMS = 2_000;

/** A decision about one request in all of its windows. */
interface Decision {
  admitted: boolean;
  /** The second in which it was counted, by window. */
  seconds: number[];
  allowances: Allowance[];
}

/**
 * Redis decides. Where it does not answer in time, the gateway decides within its allotment (peers.ts) and within its
 * part of what remained by Redis's last answer. The allotments of all gateways add up to the limit at most. What was
 * admitted this way is told to Redis as soon as it answers (reconciliation.ts).
 */
export class ResilientLimiter extends Limiter {
  readonly #redis: SharedStore;
  readonly #watch: RedisWatch;
  readonly #local: LocalLimiter;
  readonly #onFailure: OnRedisFailure;
  readonly #deadlines: Deadlines;
  readonly #peers: Peers;
  readonly #reconciliation: Reconciliation;
  /** Number of requests decided here whose answer from Redis is still missing. */
  #undecided = 0;
  /** Subjects of which this gateway may hold more than its share, with their limits. */
  readonly #crowded = new Map<string, number>();
  #echo = 0;
  #beating = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: SharedStore, watch: RedisWatch, local: LocalLimiter, options: ResilientOptions) {
    super();
    this.#redis = redis;
    this.#watch = watch;
    this.#local = local;
    this.#onFailure = options.onFailure;
    this.#deadlines = new Deadlines(options.patienceMs);
    this.#peers = new Peers(randomUUID(), options.patienceMs);
    this.#reconciliation = new Reconciliation(redis, watch, local, this.#peers);
    watch.onLost(() => this.#peers.troubled());
    watch.onBack(() => this.#returned());
  }

  /** Whether Redis decides alone: exactly `gateways` are known with this one, all in touch, and they owe it nothing. */
  isSettledAmong(gateways: number): boolean {
    return this.#peers.count === gateways && this.#peers.inTouch && this.#peers.settled;
  }

  /** Announces this gateway to the others from now on. */
  join(): void {
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS).unref();
  }

  async takeAll(asked: readonly Limited[]): Promise<Allowance[]> {
    if (!this.#watch.usable()) return this.#decide(asked).allowances;
    for (const { subject } of asked) this.#reconciliation.tellOf(subject);
    const mode = asked.every(({ subject, limit }) => this.#local.hasRoom(subject, limit)) ? 'take' : 'refuse';
    const { troubles } = this.#peers;
    const answer = this.#ask(mode, asked);
    const shared = await this.#inTime(asked[0]?.subject ?? '', answer);
    if (shared === undefined) {
      const decision = this.#decide(asked, false);
      this.#settle(asked, decision, answer);
      return decision.allowances;
    }
    each(asked, shared, ({ subject }, { born }) => this.#reconciliation.recognise(subject, born));
    const admitted = shared.every((one) => one.admitted);
    // After a trouble, Redis's answer is not reliable until all gateways have told it what they admitted without it.
    const known = this.#onFailure === 'deny' || (troubles === this.#peers.troubles && this.#peers.settled);
    if (admitted && !known) {
      const decision = this.#decide(asked, false);
      if (!decision.admitted)
        each(asked, decision.seconds, ({ subject }, second) => this.#reconciliation.owe(subject, second, -1));
      return decision.allowances;
    }
    each(asked, shared, ({ subject, limit }, { remaining }) => {
      if (admitted) this.#count(subject, limit);
      else this.#local.refuse(subject);
      if (this.#peers.settled) this.#local.bound(subject, this.#peers.partOf(remaining, limit));
    });
    return shared.map((one, i) => this.#answer(asked[i] as Limited, one));
  }

  async peek(subject: string, limit: number): Promise<Allowance> {
    const asked = { subject, limit };
    const shared = this.#watch.usable() ? await this.#inTime(subject, this.#ask('peek', [asked]), 'peek') : undefined;
    return shared?.[0] === undefined ? this.#alone(asked, false) : this.#answer(asked, shared[0]);
  }

  /** Tells the other gateways that they need not wait for this one. */
  leave(): void {
    clearInterval(this.#timer);
    if (!this.#watch.usable() || this.#owes()) return;
    const { id, number: echo } = this.#peers;
    this.#redis.beat({ id, echo, left: true, claims: new Map() }).catch(() => {});
  }

  #ask(mode: Mode, asked: readonly Limited[]): Promise<SharedAllowance[]> {
    const left = ({ subject, limit }: Limited) => Math.max(0, limit - this.#peers.reserved(subject, limit));
    return this.#redis.decide(
      mode,
      asked.map((one) => ({ subject: one.subject, limit: left(one) })),
    );
  }

  async #inTime<Value>(subject: string, answer: Promise<Value>, mode?: 'peek'): Promise<Value | undefined> {
    try {
      return await this.#deadlines.within(answer);
    } catch (cause) {
      if (cause instanceof LateError) {
        if (mode !== 'peek') this.#peers.troubled();
        this.#watch.late(subject, answer);
      } else this.#watch.lost(subject, cause as Error);
      return undefined;
    }
  }

  /**
   * Decides within the allotments, all of which need room. `untold` is false where Redis may have counted the request.
   */
  #decide(asked: readonly Limited[], untold = true): Decision {
    const fits = asked.every(({ subject, limit }) => {
      const allotment = Math.min(this.#peers.allotment(subject, limit), MAX_LIMIT);
      return this.#local.left(subject, allotment) > 0 && !this.#reconciliation.full(subject);
    });
    const admitted = fits && this.#onFailure === 'local';
    const seconds = asked.map(({ subject, limit }) => {
      const second = admitted ? this.#count(subject, limit) : this.#local.second();
      if (!admitted) this.#local.refuse(subject);
      if (admitted && untold) this.#reconciliation.note(subject, second, 1);
      return second;
    });
    return { admitted, seconds, allowances: asked.map((one) => this.#alone(one, admitted)) };
  }

  #alone({ subject, limit }: Limited, admitted: boolean): Allowance {
    const allowance = this.#local.lookAlone(subject, limit, this.#peers.allotment(subject, limit), admitted);
    return { ...allowance, unavailable: this.#onFailure === 'deny' };
  }

  /** Tells Redis the difference where its late answer differs from the local decision. */
  #settle(asked: readonly Limited[], { admitted, seconds }: Decision, answer: Promise<SharedAllowance[]>): void {
    this.#undecided++;
    const settled = (counted: boolean) => {
      this.#undecided--;
      if (counted === admitted) return;
      each(asked, seconds, ({ subject }, second) => this.#reconciliation.owe(subject, second, admitted ? 1 : -1));
    };
    answer.then(
      (late) => {
        each(asked, late, ({ subject }, { born }) => this.#reconciliation.recognise(subject, born));
        settled(late.every((one) => one.admitted));
      },
      () => settled(false),
    );
  }

  /** Redis is back, or has begun anew. */
  async #returned(): Promise<void> {
    if (await this.#reconciliation.restore()) void this.#beat();
  }

  #count(subject: string, limit: number): number {
    const second = this.#local.count(subject);
    if (this.#peers.count > 1 && this.#local.used(subject) > this.#peers.told(limit)) {
      this.#crowded.set(subject, limit);
      const [oldest = subject] = this.#crowded.keys();
      if (this.#crowded.size > MAX_CLAIMS) this.#crowded.delete(oldest);
    }
    return second;
  }

  #claims(): Claims {
    const claims = new Map<string, number>();
    for (const [subject, limit] of this.#crowded) {
      const held = this.#local.held(subject);
      if (held > this.#peers.told(limit)) claims.set(subject, held);
      else if (this.#local.used(subject) <= this.#peers.told(limit)) this.#crowded.delete(subject);
    }
    return claims;
  }

  #owes(): boolean {
    return this.#undecided > 0 || this.#reconciliation.owes;
  }

  async #beat(): Promise<void> {
    if (this.#beating || !this.#watch.usable()) return;
    this.#beating = true;
    this.#reconciliation.tellAll();
    const [at, claims, { id, troubles }] = [performance.now(), this.#claims(), this.#peers];
    if (!this.#owes()) this.#echo = this.#peers.number;
    const answer = this.#redis.beat({ id, echo: this.#echo, left: false, claims });
    const late = setTimeout(() => this.#watch.late(null, answer), Math.max(BEAT_MS, this.#deadlines.ms)).unref();
    try {
      const heard = await answer;
      const lost = !heard.known && this.#peers.number > 0;
      this.#peers.heard(heard, { at, troubles, claims });
      if (lost) {
        this.#peers.troubled();
        void this.#returned();
      }
      if (this.#peers.joined) this.#watch.joined();
      if (this.#peers.inTouch) this.#watch.settled();
    } catch (cause) {
      this.#watch.lost(null, cause as Error);
    } finally {
      clearTimeout(late);
      this.#beating = false;
    }
  }

  #answer({ subject, limit }: Limited, { born, ...shared }: SharedAllowance): Allowance {
    // By far the most frequent case: neither limit is reached, and Redis counts at least as many as this gateway.
    if (shared.remaining > 0 && this.#local.used(subject) <= shared.used) return { ...shared, limit };
    const own = this.#local.look(subject, limit, shared.admitted);
    return { ...strictest([shared, own]), limit, admitted: shared.admitted, refused: shared.refused };
  }
}

function each<Value>(
  asked: readonly Limited[],
  values: readonly Value[],
  visit: (asked: Limited, value: Value) => void,
): void {
  for (const [i, one] of asked.entries()) visit(one, values[i] as Value);
}
