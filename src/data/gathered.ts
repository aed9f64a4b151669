// Data room: what requests ask for one by one, read together.
import DataLoader from 'dataloader';

/** As many as PostgreSQL finds quickly by one plan for all. */
const MOST_TOGETHER = 100;
/** Turns of the event loop: each takes microseconds where nothing happens, and brings more questions where much does. */
const TURNS = 3;

/**
 * One read for all that is asked for within a few turns of the event loop, by whichever request. Nobody gets what was
 * read before they asked, and nobody waits for another's answer.
 */
export function gathered<Asked, Found>(
  read: (asked: readonly Asked[]) => Promise<Found[]>,
): (asked: Asked) => Promise<Found> {
  const loader = new DataLoader<Asked, Found>(read, {
    cache: false,
    maxBatchSize: MOST_TOGETHER,
    batchScheduleFn: (begin) => afterTurns(TURNS, begin),
  });
  return (asked) => loader.load(asked);
}

function afterTurns(turns: number, begin: () => void): void {
  setImmediate(() => (turns === 1 ? begin() : afterTurns(turns - 1, begin)));
}
