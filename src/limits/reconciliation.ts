// Limits: tells Redis what this gateway admitted without it, and what Redis has lost.
import type { LocalLimiter } from './local-limiter.ts';
import type { Peers } from './peers.ts';
import type { Counts, SharedStore } from './redis-limiter.ts';
import type { RedisWatch } from './redis-watch.ts';
import { UnreportedCounts } from './unreported-counts.ts';

/** Windows per batch, so that requests can run in between. */
const BATCH_SIZE = 200;

/**
 * The local windows contain everything that this gateway admitted. Where Redis has begun a window anew, it has lost its
 * data and is told the whole local window. Otherwise it is told what it did not count, as soon as it answers and before
 * any other command about the subject.
 */
export class Reconciliation {
  readonly #redis: Pick<SharedStore, 'report'>;
  readonly #watch: RedisWatch;
  readonly #local: LocalLimiter;
  readonly #peers: Peers;
  readonly #unreported = new UnreportedCounts();
  /** Number of commands in flight that tell Redis about a subject. */
  readonly #reporting = new Map<string, number>();
  #restoring = false;

  constructor(redis: Pick<SharedStore, 'report'>, watch: RedisWatch, local: LocalLimiter, peers: Peers) {
    this.#redis = redis;
    this.#watch = watch;
    this.#local = local;
    this.#peers = peers;
  }

  /** Whether Redis is still to be told anything. */
  get hasUnreported(): boolean {
    return this.#restoring || this.#unreported.size > 0 || this.#reporting.size > 0;
  }

  /** Whether nothing more can be noted about the subject. */
  full(subject: string): boolean {
    return this.#unreported.full(subject);
  }

  /**
   * Notes requests that Redis has not counted, or counted in vain (`count` is negative). It is told when it answers.
   */
  note(subject: string, second: number, count: number): void {
    this.#unreported.add(subject, second, count);
  }

  /** Like `note`, and tells Redis at once where it is usable. */
  report(subject: string, second: number, count: number): void {
    this.note(subject, second, count);
    if (this.#watch.usable()) this.reportSubject(subject);
  }

  /** Must run before any other command about the subject, because Redis processes commands in order. */
  reportSubject(subject: string): void {
    if (this.#unreported.size > 0 && this.#unreported.has(subject)) void this.#send(subject);
  }

  /** Tells Redis everything noted. */
  reportAll(): void {
    if (!this.#restoring) for (const subject of this.#unreported.subjects()) void this.#send(subject);
  }

  /** Where Redis has begun the subject's window anew, it has lost what it had counted for all gateways. */
  recognise(subject: string, born: number): void {
    if (this.#reporting.has(subject)) return;
    const previous = this.#local.born(subject);
    if (previous !== 0 && previous !== born) {
      this.#peers.markDisrupted();
      if (this.#local.used(subject) > 0) void this.#send(subject);
    }
    this.#local.setBorn(subject, born);
  }

  /**
   * Tells Redis after its return about every local window: what it has not counted, or everything where it has lost the
   * window. Resolves with whether there was anything new to tell.
   */
  async restore(): Promise<boolean> {
    const subjects = new Set([...this.#unreported.subjects(), ...this.#local.subjects()]);
    if (subjects.size === 0) return false;
    this.#peers.markDisrupted();
    if (this.#restoring) return false;
    this.#restoring = true;
    let batch: Promise<void>[] = [];
    for (const subject of subjects) {
      if (!this.#unreported.has(subject) && this.#local.used(subject) === 0) continue;
      batch.push(this.#send(subject));
      if (batch.length < BATCH_SIZE) continue;
      await Promise.all(batch);
      batch = [];
    }
    await Promise.all(batch);
    this.#restoring = false;
    return true;
  }

  async #send(subject: string): Promise<void> {
    const unreported = this.#unreported.take(subject);
    // In a shared window, only the unreported requests are known to be this subject's.
    const counts = this.#local.isOwn(subject) ? this.#local.counts(subject) : unreported;
    const now = this.#local.second();
    this.#reporting.set(subject, (this.#reporting.get(subject) ?? 0) + 1);
    const report = { born: this.#local.born(subject), unreported: byAge(unreported, now), all: byAge(counts, now) };
    try {
      this.#local.setBorn(subject, await this.#redis.report(subject, report));
    } catch (cause) {
      for (const [second, count] of unreported) this.#unreported.add(subject, second, count);
      this.#watch.lost(subject, cause as Error);
    } finally {
      const pending = (this.#reporting.get(subject) ?? 0) - 1;
      if (pending > 0) this.#reporting.set(subject, pending);
      else this.#reporting.delete(subject);
    }
  }
}

/** Ages in whole seconds, less one: the clocks' seconds are not aligned, and nothing may leave Redis's window early. */
function byAge(counts: Map<number, number>, now: number): Counts {
  return [...counts].map(([second, count]) => [Math.max(0, now - second - 1), count]);
}
