// Gateway: writes the access record through a queue in Redis, and directly while Redis is away.
import type { Database } from '#database/database.ts';
import { openAheadWriter, openQueueWriter, type SaveBatch } from '#repositories/access-record/writer.ts';
import { type Drainer, startDrainer } from './drainer.ts';
import { openStream } from './stream.ts';

/** After a failure, batches are saved directly for this time before Redis is tried again. */
const AWAY_MS = 1_000;

export interface AccessQueue extends Drainer {
  /** Appends a batch to the queue, or saves it directly. Idempotent, like saving. */
  save: SaveBatch;
}

export interface AccessQueueOptions {
  url: string;
  ca: string | undefined;
  /** Gateways of one database share a queue. */
  fleet: string;
  onFailure: (error: unknown) => void;
}

export async function openAccessQueue(
  database: Database,
  { url, ca, fleet, onFailure }: AccessQueueOptions,
): Promise<AccessQueue> {
  const stream = openStream(url, ca, fleet);
  await stream.ready;
  const drainer = startDrainer(stream, openQueueWriter(database), onFailure);
  const saveAhead = openAheadWriter(database);
  let awayUntil = 0;
  let failures = 0;
  return {
    ...drainer,
    async save(batch) {
      if (performance.now() >= awayUntil) {
        try {
          return await stream.append(batch);
        } catch (error) {
          awayUntil = performance.now() + AWAY_MS;
          failures += 1;
          onFailure(error);
        }
      }
      // After a failure the batch may be in the queue all the same. It is saved ahead of it: with a number below those
      // that the database knows it would count as saved, and with another number it could be saved twice.
      await saveAhead(batch);
    },
    counts: () => {
      const counts = drainer.counts();
      return { ...counts, failures: counts.failures + failures };
    },
  };
}
