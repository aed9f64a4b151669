// Gateway: writes the access record through a queue in Redis, and directly where that is away.
import type { Database } from '#database/database.ts';
import { openAheadWriter, openQueueWriter, type SaveBatch } from '#repositories/access-record/writer.ts';
import { type Drainer, startDrainer } from './drainer.ts';
import { type AccessStream, openStream } from './stream.ts';

/** After a failure what comes is saved directly, and Redis is asked again so much later. */
const AWAY_MS = 1_000;

export interface AccessQueue extends Drainer {
  /** Appends a batch to the queue, or saves it; repeatable, like saving. */
  save: SaveBatch;
}

export interface AccessQueueOptions {
  url: string;
  ca: string | undefined;
  /** Gateways of one database have one queue. */
  fleet: string;
  onFailure: (error: unknown) => void;
}

export async function openAccessQueue(
  database: Database,
  { url, ca, fleet, onFailure }: AccessQueueOptions,
): Promise<AccessQueue> {
  const stream = openStream(url, ca, fleet);
  await stream.ready;
  const drainer = startDrainer(stream, openQueueWriter(database), { onFailure });
  return { ...drainer, ...savingThrough(stream, openAheadWriter(database), drainer, onFailure) };
}

/**
 * A batch that may be in the queue, because Redis did not say so, is saved ahead of it: with a number lower than those that the
 * database knows it would be taken for saved, and with another number it could be there twice.
 */
function savingThrough(
  stream: AccessStream,
  saveAhead: SaveBatch,
  drainer: Drainer,
  onFailure: (error: unknown) => void,
): Pick<AccessQueue, 'save' | 'counts'> {
  let awayUntil = 0;
  let failures = 0;
  return {
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
      await saveAhead(batch);
    },
    counts: () => {
      const { losses, ...counts } = drainer.counts();
      return { losses, failures: counts.failures + failures };
    },
  };
}
