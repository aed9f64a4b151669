// Limits: tells Redis what this gateway admitted without it, and what Redis has lost.
import type { LocalLimiter } from './local-limiter.ts';
import type { Peers } from './peers.ts';
import type { Counts, SharedStore } from './redis-limiter.ts';
import type { RedisWatch } from './redis-watch.ts';
import { Untold } from './untold.ts';

/** Windows per batch, so that requests can run in between. */
const TOLD_TOGETHER = 200;

/**
 * The local windows contain everything that this gateway admitted. Where Redis has begun a window anew, it has lost its
 * data and is told the whole local window. Otherwise it is told what it did not count, as soon as it answers and before
 * any other command about the subject.
 */
export class Reconciliation {
  readonly #redis: Pick<SharedStore, 'tell'>;
  readonly #watch: RedisWatch;
  readonly #local: LocalLimiter;
  readonly #peers: Peers;
  readonly #untold = new Untold();
  /** Number of commands in flight that tell Redis about a subject. */
  readonly #telling = new Map<string, number>();
  #restoring = false;

  constructor(redis: Pick<SharedStore, 'tell'>, watch: RedisWatch, local: LocalLimiter, peers: Peers) {
    this.#redis = redis;
    this.#watch = watch;
    this.#local = local;
    this.#peers = peers;
  }

  /** Whether Redis is still to be told anything. */
  get owes(): boolean {
    return this.#restoring || this.#untold.size > 0 || this.#telling.size > 0;
  }

  /** Whether nothing more can be noted about the subject. */
  full(subject: string): boolean {
    return this.#untold.full(subject);
  }

  /**
   * Notes requests that Redis has not counted, or counted in vain (`count` is negative). It is told when it answers.
   */
  note(subject: string, second: number, count: number): void {
    this.#untold.add(subject, second, count);
  }

  /** Like `note`, and tells Redis at once where it is usable. */
  owe(subject: string, second: number, count: number): void {
    this.note(subject, second, count);
    if (this.#watch.usable()) this.tellOf(subject);
  }

  /** Must run before any other command about the subject, because Redis processes commands in order. */
  tellOf(subject: string): void {
    if (this.#untold.size > 0 && this.#untold.has(subject)) void this.#tell(subject);
  }

  /** Tells Redis everything noted. */
  tellAll(): void {
    if (!this.#restoring) for (const subject of this.#untold.subjects()) void this.#tell(subject);
  }

  /** Where Redis has begun the subject's window anew, it has lost what it had counted for all gateways. */
  recognise(subject: string, born: number): void {
    if (this.#telling.has(subject)) return;
    const known = this.#local.born(subject);
    if (known !== 0 && known !== born) {
      this.#peers.troubled();
      if (this.#local.used(subject) > 0) void this.#tell(subject);
    }
    this.#local.setBorn(subject, born);
  }

  /**
   * Tells Redis after its return about every local window: what it has not counted, or everything where it has lost the
   * window. Resolves with whether there was anything new to tell.
   */
  async restore(): Promise<boolean> {
    const subjects = new Set([...this.#untold.subjects(), ...this.#local.subjects()]);
    if (subjects.size === 0) return false;
    this.#peers.troubled();
    if (this.#restoring) return false;
    this.#restoring = true;
    let together: Promise<void>[] = [];
    for (const subject of subjects) {
      if (!this.#untold.has(subject) && this.#local.used(subject) === 0) continue;
      together.push(this.#tell(subject));
      if (together.length < TOLD_TOGETHER) continue;
      await Promise.all(together);
      together = [];
    }
    await Promise.all(together);
    this.#restoring = false;
    return true;
  }

  async #tell(subject: string): Promise<void> {
    const untold = this.#untold.take(subject);
    // In a shared window, only the untold requests are known to be this subject's.
    const counts = this.#local.isOwn(subject) ? this.#local.counts(subject) : untold;
    const now = this.#local.second();
    this.#telling.set(subject, (this.#telling.get(subject) ?? 0) + 1);
    const told = { born: this.#local.born(subject), owed: byAge(untold, now), all: byAge(counts, now) };
    try {
      this.#local.setBorn(subject, await this.#redis.tell(subject, told));
    } catch (cause) {
      for (const [second, count] of untold) this.#untold.add(subject, second, count);
      this.#watch.lost(subject, cause as Error);
    } finally {
      const others = (this.#telling.get(subject) ?? 0) - 1;
      if (others > 0) this.#telling.set(subject, others);
      else this.#telling.delete(subject);
    }
  }
}

/** Ages in whole seconds, less one: the clocks' seconds are not aligned, and nothing may leave Redis's window early. */
function byAge(counts: Map<number, number>, now: number): Counts {
  return [...counts].map(([second, count]) => [Math.max(0, now - second - 1), count]);
}
