// Observability: calls that are not in the access record yet: listed ones, and counts of the others.
import {
  type AccessBatch,
  type AccessEvent,
  type AttemptEvent,
  dayOf,
  type UnauthenticatedCall,
  type UnauthenticatedCount,
} from '#core/events.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { CallCounts, RefusalBounds } from './refusal-bounds.ts';

type Waiting = ({ call: AccessBatch['calls'][number] } | { attempt: AttemptEvent }) & { since: number };

export class WaitingCalls {
  /** Number of refused calls that were only counted, since the start. */
  unlisted = 0;
  readonly #bounds = new RefusalBounds();
  /** One by one, oldest first. */
  readonly #listed: Waiting[] = [];
  #counted = new CallCounts();
  #unauthenticated = new Map<string, UnauthenticatedCount>();
  #hasCounts = false;

  /** Number of calls waiting, without those that are only counted. */
  get size(): number {
    return this.#listed.length;
  }

  get isEmpty(): boolean {
    return this.#listed.length === 0 && !this.#hasCounts;
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
    this.#counted.add(event, { firmId: event.firmId, keyId: event.keyId });
    this.#hasCounts = true;
  }

  addAttempt(attempt: AttemptEvent): void {
    const decision = this.#bounds.take(attempt, this.size);
    if (decision === 'listed') {
      this.#listed.push({ attempt, since: performance.now() });
      return;
    }
    this.unlisted += 1;
    if (decision === 'full' || this.#counted.isFull) {
      this.addUnauthenticated({ at: attempt.at, errorCode: attempt.errorCode ?? '' });
      return;
    }
    this.#counted.add(attempt, { keyHash: attempt.keyHash });
    this.#hasCounts = true;
  }

  addUnauthenticated({ at, errorCode }: UnauthenticatedCall): void {
    const day = dayOf(at);
    const name = `${day} ${errorCode}`;
    getOrInsert(this.#unauthenticated, name, () => ({ day, errorCode, calls: 0 })).calls += 1;
    this.#hasCounts = true;
  }

  /** Returns the `max` oldest calls, which stay until they are removed, and all counts, which are reset. */
  next(max: number): Pick<AccessBatch, 'calls' | 'attempts' | 'counts' | 'strangers'> {
    const listed = this.#listed.slice(0, max);
    const calls = listed.flatMap((entry) => ('call' in entry ? [entry.call] : []));
    const attempts = listed.flatMap((entry) => ('attempt' in entry ? [entry.attempt] : []));
    const [counts, strangers] = [this.#counted.list(), [...this.#unauthenticated.values()]];
    this.#counted = new CallCounts();
    this.#unauthenticated = new Map();
    this.#hasCounts = false;
    return { calls, attempts, counts, strangers };
  }

  /** Removes the `count` oldest calls. */
  remove(count: number): void {
    this.#listed.splice(0, count);
  }
}
