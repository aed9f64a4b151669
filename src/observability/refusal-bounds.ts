// Observability: how many refused calls of one key are kept one by one; the others are counted.
import { type AccessEvent, type AttemptEvent, type CallCount, type CallEvent, dayOf } from '#core/events.ts';

/** Of one key in one minute, by one process. */
export const LISTED_PER_MINUTE = 60;
/** While so many calls wait to be saved, as where the database is away for long, refused ones are counted: memory ends. */
export const MAX_WAITING = 50_000;
/** Keys, and secrets that may be keys, of which refused calls are kept in one minute. */
const MAX_CALLERS = 2_000;
/** Counts that are kept of secrets: beyond it, as after hours without the database, calls with others are counted as strangers'. */
const MAX_COUNTS = 20_000;

const minuteOf = (at: string): string => at.slice(0, 16);

/** Counts of calls by what is the same in them. */
export class CallCounts {
  readonly #counts = new Map<string, CallCount>();

  add({ at, endpoint, status, errorCode }: CallEvent, caller: CallCount['caller']): void {
    const day = dayOf(at);
    const name = [nameOf(caller), day, endpoint, status, errorCode].join(' ');
    const known = this.#counts.get(name);
    if (known !== undefined) known.calls += 1;
    else this.#counts.set(name, { day, caller, endpoint, status, errorCode, calls: 1 });
  }

  get isFull(): boolean {
    return this.#counts.size >= MAX_COUNTS;
  }

  list(): CallCount[] {
    return [...this.#counts.values()];
  }
}

const nameOf = (caller: CallCount['caller']): string =>
  'keyId' in caller ? caller.keyId : caller.keyHash.toString('latin1');

/**
 * Which refused calls are kept. It depends on the key and on how many there were, and not on whether the client who was named exists:
 * firms see which of their calls are listed.
 */
export class RefusalBounds {
  #minute = '';
  readonly #listed = new Map<string, number>();

  /** Whether one more call of this caller is listed, where `waiting` calls wait. `full`: there is no room for another caller. */
  take(call: AccessEvent | AttemptEvent, waiting: number): 'listed' | 'counted' | 'full' {
    const minute = minuteOf(call.at);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#listed.clear();
    }
    const name = nameOf(call);
    const before = this.#listed.get(name);
    if (before === undefined && this.#listed.size === MAX_CALLERS) return 'full';
    this.#listed.set(name, (before ?? 0) + 1);
    return (before ?? 0) < LISTED_PER_MINUTE && waiting < MAX_WAITING ? 'listed' : 'counted';
  }
}
