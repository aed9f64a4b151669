// Observability: saves calls to the access record in batches, without loss while the process lives.
import { randomUUID } from 'node:crypto';
import type { AccessBatch, AccessEvent, AttemptEvent, Events, UnauthenticatedCall } from '#core/events.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import { withTimeout } from '#core/with-timeout.ts';
import { WaitingCalls } from './waiting-calls.ts';

const INTERVAL_MS = 200;
const RETRY_MS = 500;
const MAX_PER_BATCH = 1_000;

export interface AccessRecorder {
  /** Number of calls not saved yet, without those that are only counted. */
  waiting(): number;
  /** Age of the oldest of them by a monotonic clock; 0 where there are none. */
  oldestSeconds(): number;
  /** Since the start: calls saved, failed attempts to save, and refused calls that were only counted. */
  counts(): { saved: number; failures: number; unlisted: number };
  /** Stops collecting and saves the rest. Gives up after `patienceMs` and returns the number of calls lost. */
  close(patienceMs: number): Promise<{ lost: number }>;
}

/**
 * Saves each access event through `save` about 200 ms after it came, or after the batch that was being saved then.
 * `save` must be idempotent: a batch with an unknown outcome is saved again unchanged.
 */
export function recordAccess(
  events: Events,
  save: (batch: AccessBatch) => Promise<void>,
  onFailure: (error: unknown) => void,
): AccessRecorder {
  const writer = randomUUID();
  const waiting = new WaitingCalls();
  let number = 0;
  /** The batch being saved or retried. Its calls are the first of those waiting. */
  let batch: AccessBatch | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  const counts = { saved: 0, failures: 0 };

  const saving = oneAtATime(saveFull);
  const isIdle = () => batch === null && waiting.isEmpty;

  const schedule = (delay: number) => {
    if (timer !== null || closed || isIdle()) return;
    timer = setTimeout(() => {
      timer = null;
      void saving.run();
    }, delay);
  };

  /** Saves one batch, and further ones while they are full. Fewer calls wait for the next interval. */
  async function saveFull(): Promise<void> {
    do {
      batch ??= { writer, number: ++number, ...waiting.next(MAX_PER_BATCH) };
      try {
        await save(batch);
      } catch (error) {
        counts.failures += 1;
        onFailure(error);
        return schedule(RETRY_MS);
      }
      const size = batch.calls.length + batch.attempts.length;
      waiting.remove(size);
      counts.saved += size;
      batch = null;
    } while (waiting.size >= MAX_PER_BATCH);
    schedule(INTERVAL_MS);
  }

  const collecting =
    <Event>(add: (event: Event) => void) =>
    (event: Event) => {
      add(event);
      if (!saving.isRunning()) schedule(INTERVAL_MS);
    };
  const listeners = {
    access: collecting((event: AccessEvent) => waiting.add(event)),
    attempt: collecting((event: AttemptEvent) => waiting.addAttempt(event)),
    unauthenticated: collecting((event: UnauthenticatedCall) => waiting.addUnauthenticated(event)),
  };
  events.on('access', listeners.access);
  events.on('attempt', listeners.attempt);
  events.on('unauthenticated', listeners.unauthenticated);

  return {
    waiting: () => waiting.size,
    oldestSeconds: () => waiting.oldestSeconds,
    counts: () => ({ ...counts, unlisted: waiting.unlisted }),
    async close(patienceMs) {
      events.off('access', listeners.access);
      events.off('attempt', listeners.attempt);
      events.off('unauthenticated', listeners.unauthenticated);
      const saveRest = async () => {
        while (!isIdle() && !closed) {
          if (timer !== null) clearTimeout(timer);
          timer = null;
          await saving.run();
          if (!isIdle()) await new Promise((wake) => setTimeout(wake, 100));
        }
      };
      await withTimeout(patienceMs, saveRest(), () => new Error('records are not saved in time')).catch(() => {});
      closed = true;
      if (timer !== null) clearTimeout(timer);
      return { lost: waiting.size };
    },
  };
}
