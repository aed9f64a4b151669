// Gateway: saves the batches of the access record's queue in order, one gateway at a time, and removes what was saved.
import { randomUUID } from 'node:crypto';
import type { AccessBatch } from '#core/events.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import { finishInGrace, GRACE_MS } from '#core/with-timeout.ts';
import type { AccessStream, QueueState } from './stream.ts';

const INTERVAL_MS = 200;
/** Delay after a failure. The lease is released, because other gateways may be able to save. */
const RETRY_MS = 1_000;

export interface Drainer {
  /** The latest state of the queue, with `oldestSeconds` as of now. */
  state(): { batches: number; oldestSeconds: number };
  /** Since the start: failed attempts, and how often the queue had lost its content. */
  counts(): { failures: number; losses: number };
  /** Saves the rest as far as time allows, and releases the lease. */
  close(): Promise<void>;
}

/**
 * Every draining process starts with the oldest batch, reads the next one once that is saved, and removes only what it
 * has read and saved itself. A batch is therefore saved after all those appended before it, and never lost, however
 * many processes drain at once. The lease only avoids duplicate work.
 */
export function startDrainer(
  stream: AccessStream,
  save: (batches: readonly AccessBatch[]) => Promise<void>,
  onFailure: (error: unknown) => void,
): Drainer {
  const holder = randomUUID();
  let latest: QueueState = { batches: 0, oldestSeconds: 0, appended: 0 };
  let latestAt = performance.now();
  const counts = { failures: 0, losses: 0 };
  let retryAt = 0;

  function update(state: QueueState): void {
    if (state.appended < latest.appended) {
      counts.losses += 1;
      onFailure(
        new Error(`Redis has lost the access queue, in which ${latest.batches} batches waited when it was last seen`),
      );
    }
    latest = state;
    latestAt = performance.now();
  }

  /** Saves until the queue is empty or the time is over. */
  async function drain(until = Number.POSITIVE_INFINITY): Promise<void> {
    try {
      for (;;) {
        const taken = await stream.take(holder);
        update(taken);
        if (taken.read === null || taken.read.length === 0) return;
        await save(taken.read.map(({ batch }) => batch));
        await stream.remove(taken.read.map(({ id }) => id));
        const left = taken.batches - taken.read.length;
        // Batches appended meanwhile wait for the next interval.
        if (left === 0) update({ ...taken, batches: 0 });
        if (left === 0 || performance.now() > until) return;
      }
    } catch (error) {
      counts.failures += 1;
      onFailure(error);
      await stream.release(holder).catch(() => {});
      retryAt = performance.now() + RETRY_MS;
    }
  }

  const work = oneAtATime(() => drain());
  const timer = setInterval(() => {
    if (performance.now() >= retryAt) void work.run();
  }, INTERVAL_MS).unref();

  return {
    state: () => ({
      batches: latest.batches,
      oldestSeconds: latest.batches === 0 ? 0 : latest.oldestSeconds + (performance.now() - latestAt) / 1_000,
    }),
    counts: () => counts,
    async close() {
      clearInterval(timer);
      const until = performance.now() + GRACE_MS;
      const rest = async () => {
        await work.idle();
        await drain(until);
        await stream.release(holder).catch(() => {});
      };
      await finishInGrace(rest());
      stream.close();
    },
  };
}
