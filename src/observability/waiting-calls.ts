// Observability: calls that are not in the access record yet: listed ones, and counts of the others.
import {
  type AccessBatch,
  type AccessEvent,
  type AttemptEvent,
  type CallCount,
  type CallEvent,
  dayOf,
  type UnauthenticatedCall,
  type UnauthenticatedCount,
} from '#core/events.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { nameOf, RefusalBounds } from './refusal-bounds.ts';

/**
 * Maximum number of counts of secrets. Beyond it, as after hours without the database, calls with further secrets are
 * counted without their key.
 */
const MAX_COUNTS = 20_000;

type Waiting = ({ call: AccessBatch['calls'][number] } | { attempt: AttemptEvent }) & { since: number };

export class WaitingCalls {
  /** Number of refused calls that were only counted, since the start. */
  unlisted = 0;
  readonly #bounds = new RefusalBounds();
  /** One by one, oldest first. */
  readonly #listed: Waiting[] = [];
  /** By caller, day, endpoint, status and code. */
  #counted = new Map<string, CallCount>();
  #unauthenticated = new Map<string, UnauthenticatedCount>();

  /** Number of calls waiting, without those that are only counted. */
  get size(): number {
    return this.#listed.length;
  }

  get isEmpty(): boolean {
    return this.#listed.length + this.#counted.size + this.#unauthenticated.size === 0;
  }

  /** Age of the oldest call by a monotonic clock; 0 where there are none. */
  get oldestSeconds(): number {
    const oldest = this.#listed[0];
    return oldest === undefined ? 0 : (performance.now() - oldest.since) / 1_000;
  }

  add(event: AccessEvent): void {
    // A call with scopes was allowed by a grant. For others, the writer finds out whether a grant joins key and client.
    const isBounded = event.status >= 400 && event.scopes === 0 && event.toolId === undefined;
    const listed = !isBounded || this.#bounds.take(event, this.size) === 'listed';
    if (!listed) this.unlisted += 1;
    if (listed || event.clientId !== null) {
      this.#listed.push({ call: { event, listed }, since: performance.now() });
      return;
    }
    this.#count(event, { firmId: event.firmId, keyId: event.keyId });
  }

  addAttempt(attempt: AttemptEvent): void {
    const decision = this.#bounds.take(attempt, this.size);
    if (decision === 'listed') {
      this.#listed.push({ attempt, since: performance.now() });
      return;
    }
    this.unlisted += 1;
    if (decision === 'full' || this.#counted.size >= MAX_COUNTS)
      this.addUnauthenticated({ at: attempt.at, errorCode: attempt.errorCode ?? '' });
    else this.#count(attempt, { keyHash: attempt.keyHash });
  }

  addUnauthenticated({ at, errorCode }: UnauthenticatedCall): void {
    const day = dayOf(at);
    const name = `${day} ${errorCode}`;
    getOrInsert(this.#unauthenticated, name, () => ({ day, errorCode, calls: 0 })).calls += 1;
  }

  #count({ at, endpoint, status, errorCode }: CallEvent, caller: CallCount['caller']): void {
    const day = dayOf(at);
    const name = [nameOf(caller), day, endpoint, status, errorCode].join(' ');
    getOrInsert(this.#counted, name, () => ({ day, caller, endpoint, status, errorCode, calls: 0 })).calls += 1;
  }

  /** Returns the `max` oldest calls, which stay until they are removed, and all counts, which are reset. */
  next(max: number): Pick<AccessBatch, 'calls' | 'attempts' | 'counts' | 'strangers'> {
    const listed = this.#listed.slice(0, max);
    const calls = listed.flatMap((entry) => ('call' in entry ? [entry.call] : []));
    const attempts = listed.flatMap((entry) => ('attempt' in entry ? [entry.attempt] : []));
    const [counts, strangers] = [[...this.#counted.values()], [...this.#unauthenticated.values()]];
    this.#counted = new Map();
    this.#unauthenticated = new Map();
    return { calls, attempts, counts, strangers };
  }

  /** Removes the `count` oldest calls. */
  remove(count: number): void {
    this.#listed.splice(0, count);
  }
}
