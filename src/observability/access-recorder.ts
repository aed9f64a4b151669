// Observability: keeps the access record: gathers calls and saves them in batches, none lost while the process lives.
import type { AccessEvent, Events } from '#core/events.ts';

const INTERVAL_MS = 200;
const RETRY_MS = 500;
const MAX_PER_BATCH = 1_000;

export interface AccessRecorder {
  /** How many calls are not saved yet. */
  waiting(): number;
  /** How long the oldest of them has waited, whatever the clock says meanwhile; 0 where none does. */
  oldestSeconds(): number;
  /** Since the start: calls saved, and attempts to save that failed. */
  counts(): { saved: number; failures: number };
  /** Stops gathering and saves what is left; gives up, and says how many were left, after `patienceMs`. */
  close(patienceMs: number): Promise<{ lost: number }>;
}

export interface RecorderHooks {
  onFailure?: (error: unknown) => void;
}

/**
 * Saves each access event through `save` about a fifth of a second after it came, or after the batch that was being saved
 * then. `save` must be repeatable: a batch whose fate is unknown is saved again, under the same request ids.
 */
export function recordAccess(
  events: Events,
  save: (batch: AccessEvent[]) => Promise<void>,
  { onFailure }: RecorderHooks = {},
): AccessRecorder {
  let waiting: { event: AccessEvent; since: number }[] = [];
  let timer: NodeJS.Timeout | null = null;
  let saving: Promise<void> | null = null;
  const counts = { saved: 0, failures: 0 };

  const schedule = (delay: number) => {
    if (timer !== null || waiting.length === 0) return;
    timer = setTimeout(() => {
      timer = null;
      saving ??= saveFull().finally(() => {
        saving = null;
      });
    }, delay);
  };

  /** One batch, and more as long as full ones wait: fewer calls wait for company. */
  async function saveFull(): Promise<void> {
    do {
      const batch = waiting.slice(0, MAX_PER_BATCH);
      try {
        await save(batch.map(({ event }) => event));
      } catch (error) {
        counts.failures += 1;
        onFailure?.(error);
        return schedule(RETRY_MS);
      }
      waiting = waiting.slice(batch.length);
      counts.saved += batch.length;
    } while (waiting.length >= MAX_PER_BATCH);
    schedule(INTERVAL_MS);
  }

  const gather = (event: AccessEvent) => {
    waiting.push({ event, since: performance.now() });
    if (saving === null) schedule(INTERVAL_MS);
  };
  events.on('access', gather);

  return {
    waiting: () => waiting.length,
    oldestSeconds: () => (waiting[0] === undefined ? 0 : (performance.now() - waiting[0].since) / 1_000),
    counts: () => counts,
    async close(patienceMs) {
      const deadline = Date.now() + patienceMs;
      events.off('access', gather);
      while (waiting.length > 0 && Date.now() < deadline) {
        if (timer !== null) clearTimeout(timer);
        timer = null;
        await (saving ?? saveFull());
        if (waiting.length > 0) await new Promise((wake) => setTimeout(wake, 100));
      }
      if (timer !== null) clearTimeout(timer);
      return { lost: waiting.length };
    },
  };
}
