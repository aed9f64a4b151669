// Observability: bounds how many refused calls of a key are recorded one by one. Further ones are counted.
import type { AccessEvent, AttemptEvent, CallCount } from '#core/events.ts';

/** Per key, minute and process. */
export const LISTED_PER_MINUTE = 60;
/** While this many calls wait, as in a long outage of the database, refused ones are only counted, to bound memory. */
export const MAX_WAITING = 50_000;
/** Maximum number of keys and unknown secrets whose refused calls are recorded within one minute. */
const MAX_CALLERS = 2_000;

const minuteOf = (at: string): string => at.slice(0, 16);

export const nameOf = (caller: CallCount['caller']): string =>
  'keyId' in caller ? caller.keyId : caller.keyHash.toString('latin1');

/**
 * Decides which refused calls are recorded. It depends on the key and on their number, but not on whether the named
 * client exists, because firms see which of their calls are listed.
 */
export class RefusalBounds {
  #minute = '';
  readonly #listed = new Map<string, number>();

  /** Whether one more call of this caller is listed while `waiting` calls wait. `full`: no room for another caller. */
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
