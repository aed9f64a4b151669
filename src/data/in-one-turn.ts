// Data room: what requests ask for one by one, read together.
import DataLoader from 'dataloader';

/** As many as PostgreSQL finds quickly by one plan for all. */
const MOST_TOGETHER = 100;

/**
 * One read for all that is asked for in one turn of the event loop, by whichever request. Nobody gets what was read
 * before they asked, and nobody waits for another's answer.
 */
export function inOneTurn<Asked, Found>(
  read: (asked: readonly Asked[]) => Promise<Found[]>,
): (asked: Asked) => Promise<Found> {
  const options = { cache: false, maxBatchSize: MOST_TOGETHER, batchScheduleFn: setImmediate };
  const loader = new DataLoader<Asked, Found>(read, options);
  return (asked) => loader.load(asked);
}
