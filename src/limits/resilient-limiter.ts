// Limits: Redis's decision, or this gateway's own where Redis does not answer in time.

import { randomUUID } from 'node:crypto';
import { Deadlines, LateError } from './deadlines.ts';
import { type Allowance, asDecided, type Limited, Limiter, MAX_LIMIT, strictest } from './limiter.ts';
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
  readonly #claimCandidates = new Map<string, number>();
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
    watch.onLost(() => this.#peers.markDisrupted());
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

  async takeAll(subjects: readonly Limited[]): Promise<Allowance[]> {
    if (!this.#watch.usable()) return this.#decide(subjects).allowances;
    for (const { subject } of subjects) this.#reconciliation.reportSubject(subject);
    const reached = subjects.filter(({ subject, limit }) => !this.#local.hasRoom(subject, limit));
    const { disruptions } = this.#peers;
    const answer = this.#askRedis(reached.length === 0 ? 'take' : 'refuse', subjects);
    const shared = await this.#inTime(subjects[0]?.subject ?? '', answer);
    if (shared === undefined) {
      const decision = this.#decide(subjects, false);
      this.#settle(subjects, decision, answer);
      return decision.allowances;
    }
    each(subjects, shared, ({ subject }, { born }) => this.#reconciliation.recognise(subject, born));
    const admitted = shared.every((one) => one.admitted);
    // After a disruption, Redis's answer is not reliable until all gateways have told it what they admitted without it.
    const reliable = this.#onFailure === 'deny' || (disruptions === this.#peers.disruptions && this.#peers.settled);
    if (admitted && !reliable) {
      const decision = this.#decide(subjects, false);
      if (!decision.admitted)
        each(subjects, decision.seconds, ({ subject }, second) => this.#reconciliation.report(subject, second, -1));
      return decision.allowances;
    }
    each(subjects, shared, ({ subject, limit }, { remaining }) => {
      if (admitted) this.#count(subject, limit);
      else this.#local.refuse(subject);
      if (this.#peers.settled) this.#local.bound(subject, this.#peers.partOf(remaining, limit));
    });
    return shared.map((one, i) => {
      const asked = subjects[i] as Limited;
      return asDecided(this.#answer(asked, one), reached.includes(asked));
    });
  }

  async peek(subject: string, limit: number): Promise<Allowance> {
    const limited = { subject, limit };
    const shared = this.#watch.usable()
      ? await this.#inTime(subject, this.#askRedis('peek', [limited]), 'peek')
      : undefined;
    return shared?.[0] === undefined ? this.#localAllowance(limited, false) : this.#answer(limited, shared[0]);
  }

  /** Tells the other gateways that they need not wait for this one. */
  leave(): void {
    clearInterval(this.#timer);
    if (!this.#watch.usable() || this.#hasUnreported()) return;
    const { id, number: echo } = this.#peers;
    this.#redis.beat({ id, echo, left: true, claims: new Map() }).catch(() => {});
  }

  #askRedis(mode: Mode, subjects: readonly Limited[]): Promise<SharedAllowance[]> {
    const left = ({ subject, limit }: Limited) => Math.max(0, limit - this.#peers.reserved(subject, limit));
    return this.#redis.decide(
      mode,
      subjects.map((one) => ({ subject: one.subject, limit: left(one) })),
    );
  }

  async #inTime<Value>(subject: string, answer: Promise<Value>, mode?: 'peek'): Promise<Value | undefined> {
    try {
      return await this.#deadlines.within(answer);
    } catch (cause) {
      if (cause instanceof LateError) {
        if (mode !== 'peek') this.#peers.markDisrupted();
        this.#watch.late(subject, answer);
      } else this.#watch.lost(subject, cause as Error);
      return undefined;
    }
  }

  /**
   * Decides within the allotments, all of which need room. `unreported` is false where Redis may have counted the
   * request.
   */
  #decide(subjects: readonly Limited[], unreported = true): Decision {
    const reached = subjects.filter(({ subject, limit }) => {
      const allotment = Math.min(this.#peers.allotment(subject, limit), MAX_LIMIT);
      return this.#local.left(subject, allotment) <= 0 || this.#reconciliation.full(subject);
    });
    const admitted = reached.length === 0 && this.#onFailure === 'local';
    const seconds = subjects.map(({ subject, limit }) => {
      const second = admitted ? this.#count(subject, limit) : this.#local.second();
      if (!admitted) this.#local.refuse(subject);
      if (admitted && unreported) this.#reconciliation.note(subject, second, 1);
      return second;
    });
    const allowances = subjects.map((one) => asDecided(this.#localAllowance(one, admitted), reached.includes(one)));
    return { admitted, seconds, allowances };
  }

  #localAllowance({ subject, limit }: Limited, admitted: boolean): Allowance {
    const allowance = this.#local.allowanceAlone(subject, limit, this.#peers.allotment(subject, limit), admitted);
    return { ...allowance, unavailable: this.#onFailure === 'deny' };
  }

  /** Tells Redis the difference where its late answer differs from the local decision. */
  #settle(subjects: readonly Limited[], { admitted, seconds }: Decision, answer: Promise<SharedAllowance[]>): void {
    this.#undecided++;
    const settled = (counted: boolean) => {
      this.#undecided--;
      if (counted === admitted) return;
      each(subjects, seconds, ({ subject }, second) => this.#reconciliation.report(subject, second, admitted ? 1 : -1));
    };
    answer.then(
      (late) => {
        each(subjects, late, ({ subject }, { born }) => this.#reconciliation.recognise(subject, born));
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
    if (this.#peers.count > 1 && this.#local.used(subject) > this.#peers.claimThreshold(limit)) {
      this.#claimCandidates.set(subject, limit);
      const [oldest = subject] = this.#claimCandidates.keys();
      if (this.#claimCandidates.size > MAX_CLAIMS) this.#claimCandidates.delete(oldest);
    }
    return second;
  }

  #claims(): Claims {
    const claims = new Map<string, number>();
    for (const [subject, limit] of this.#claimCandidates) {
      const held = this.#local.held(subject);
      if (held > this.#peers.claimThreshold(limit)) claims.set(subject, held);
      else if (this.#local.used(subject) <= this.#peers.claimThreshold(limit)) this.#claimCandidates.delete(subject);
    }
    return claims;
  }

  #hasUnreported(): boolean {
    return this.#undecided > 0 || this.#reconciliation.hasUnreported;
  }

  async #beat(): Promise<void> {
    if (this.#beating || !this.#watch.usable()) return;
    this.#beating = true;
    this.#reconciliation.reportAll();
    const [at, claims, { id, disruptions }] = [performance.now(), this.#claims(), this.#peers];
    if (!this.#hasUnreported()) this.#echo = this.#peers.number;
    const answer = this.#redis.beat({ id, echo: this.#echo, left: false, claims });
    const late = setTimeout(() => this.#watch.late(null, answer), Math.max(BEAT_MS, this.#deadlines.ms)).unref();
    try {
      const beatAnswer = await answer;
      const lost = !beatAnswer.known && this.#peers.number > 0;
      this.#peers.processAnswer(beatAnswer, { at, disruptions, claims });
      if (lost) {
        this.#peers.markDisrupted();
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
    const own = this.#local.allowance(subject, limit, shared.admitted);
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
