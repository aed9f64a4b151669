// Observability: keeps the access record: gathers calls and saves them in batches, none lost while the process lives.
import { randomUUID } from 'node:crypto';
import {
  type AccessBatch,
  type AccessEvent,
  type AttemptEvent,
  dayOf,
  type Events,
  type StrangerCount,
  type StrangerEvent,
} from '#core/events.ts';
import { within } from '#core/within.ts';
import { CallCounts, RefusalBounds } from './refusal-bounds.ts';

const INTERVAL_MS = 200;
const RETRY_MS = 500;
const MAX_PER_BATCH = 1_000;

export interface AccessRecorder {
  /** How many calls are not saved yet; those that are only counted not among them. */
  waiting(): number;
  /** How long the oldest of them has waited, whatever the clock says meanwhile; 0 where none does. */
  oldestSeconds(): number;
  /** Since the start: calls saved, attempts to save that failed, and refused calls that were counted and not listed. */
  counts(): { saved: number; failures: number; unlisted: number };
  /** Stops gathering and saves what is left; gives up, and says how many were left, after `patienceMs`. */
  close(patienceMs: number): Promise<{ lost: number }>;
}

export interface RecorderHooks {
  onFailure?: (error: unknown) => void;
}

type Waiting = ({ call: AccessBatch['calls'][number] } | { attempt: AttemptEvent }) & { since: number };

/**
 * Saves each access event through `save` about a fifth of a second after it came, or after the batch that was being saved
 * then. `save` must be repeatable: a batch whose fate is unknown is saved again as it was.
 */
export function recordAccess(
  events: Events,
  save: (batch: AccessBatch) => Promise<void>,
  { onFailure }: RecorderHooks = {},
): AccessRecorder {
  const writer = randomUUID();
  const bounds = new RefusalBounds();
  const waiting: Waiting[] = [];
  let counted = new CallCounts();
  let strangers = new Map<string, StrangerCount>();
  let something = false;
  let number = 0;
  /** The one that is being saved, or has to be saved again, and how many of `waiting` are in it. */
  let batch: { made: AccessBatch; size: number } | null = null;
  let timer: NodeJS.Timeout | null = null;
  let saving: Promise<void> | null = null;
  let closed = false;
  const counts = { saved: 0, failures: 0, unlisted: 0 };

  const isIdle = () => batch === null && waiting.length === 0 && !something;

  const schedule = (delay: number) => {
    if (timer !== null || closed || isIdle()) return;
    timer = setTimeout(() => {
      timer = null;
      saving ??= saveFull().finally(() => {
        saving = null;
      });
    }, delay);
  };

  function nextBatch(): { made: AccessBatch; size: number } {
    const calls: AccessBatch['calls'][number][] = [];
    const attempts: AttemptEvent[] = [];
    const size = Math.min(waiting.length, MAX_PER_BATCH);
    for (const entry of waiting.slice(0, size)) {
      if ('call' in entry) calls.push(entry.call);
      else attempts.push(entry.attempt);
    }
    const made = {
      ...{ writer, number: ++number, calls, attempts },
      counts: counted.list(),
      strangers: [...strangers.values()],
    };
    counted = new CallCounts();
    strangers = new Map();
    something = false;
    return { made, size };
  }

  /** One batch, and more as long as full ones wait: fewer calls wait for company. */
  async function saveFull(): Promise<void> {
    do {
      batch ??= nextBatch();
      try {
        await save(batch.made);
      } catch (error) {
        counts.failures += 1;
        onFailure?.(error);
        return schedule(RETRY_MS);
      }
      waiting.splice(0, batch.size);
      counts.saved += batch.size;
      batch = null;
    } while (waiting.length >= MAX_PER_BATCH);
    schedule(INTERVAL_MS);
  }

  const come = () => {
    if (saving === null) schedule(INTERVAL_MS);
  };
  const gather = (entry: Waiting) => {
    waiting.push(entry);
    come();
  };
  const gatherCall = (event: AccessEvent) => {
    // Whether a grant joins key and client is known where one lets the call in; else whoever saves it finds out.
    const isBounded = event.status >= 400 && event.scopes === 0 && event.toolId === undefined;
    const listed = !isBounded || bounds.take(event, waiting.length) === 'listed';
    if (!listed) counts.unlisted += 1;
    if (listed || event.clientId !== null) return gather({ call: { event, listed }, since: performance.now() });
    counted.add(event, { firmId: event.firmId, keyId: event.keyId });
    something = true;
    come();
  };
  const gatherAttempt = (attempt: AttemptEvent) => {
    const taken = bounds.take(attempt, waiting.length);
    if (taken === 'listed') return gather({ attempt, since: performance.now() });
    counts.unlisted += 1;
    if (taken === 'full') return gatherStranger({ at: attempt.at, errorCode: attempt.errorCode ?? '' });
    counted.add(attempt, { keyHash: attempt.keyHash });
    something = true;
    come();
  };
  const gatherStranger = ({ at, errorCode }: StrangerEvent) => {
    const day = dayOf(at);
    const name = `${day} ${errorCode}`;
    const known = strangers.get(name);
    if (known === undefined) strangers.set(name, { day, errorCode, calls: 1 });
    else known.calls += 1;
    something = true;
    come();
  };
  events.on('access', gatherCall);
  events.on('attempt', gatherAttempt);
  events.on('stranger', gatherStranger);

  return {
    waiting: () => waiting.length,
    oldestSeconds: () => (waiting[0] === undefined ? 0 : (performance.now() - waiting[0].since) / 1_000),
    counts: () => counts,
    async close(patienceMs) {
      events.off('access', gatherCall);
      events.off('attempt', gatherAttempt);
      events.off('stranger', gatherStranger);
      const saveRest = async () => {
        while (!isIdle() && !closed) {
          if (timer !== null) clearTimeout(timer);
          timer = null;
          await (saving ?? saveFull());
          if (!isIdle()) await new Promise((wake) => setTimeout(wake, 100));
        }
      };
      await within(patienceMs, saveRest(), () => new Error('records are not saved in time')).catch(() => {});
      closed = true;
      if (timer !== null) clearTimeout(timer);
      return { lost: waiting.length };
    },
  };
}
