// Observability: sums what limits did, key by key, and saves the sums every few seconds; a request costs an addition.
import type { Events, RequestEvent } from '#core/events.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import type { Tier } from '#core/tiers.ts';

/** What the limits of a key did in a few seconds. */
export interface LimitSum {
  keyId: string;
  tier: Tier;
  /** Not refused by a limit, whatever came of the request afterwards. */
  admitted: number;
  refused: number;
  /** Of the admitted: when at least four fifths of the key's limit, or of its firm's, were used. */
  near: number;
  /** Of the admitted: what the limit would have refused, were it not in shadow mode. */
  letPass: number;
}

/** Sums that are so old, by a clock that nobody sets. */
export interface AgedSums {
  ageSeconds: number;
  sums: readonly LimitSum[];
}

const INTERVAL_MS = 5_000;
/** Sums that could not be saved are kept for a while, and then given up: they are no record. */
const MAX_KEPT = 60;

export interface LimitSummer {
  /** Saves what there is. */
  close(): Promise<void>;
}

/** `save` is given what it was given before, too, where it failed; one whose answer was lost may count twice. */
export function sumLimits(
  events: Events,
  save: (waiting: readonly AgedSums[]) => Promise<void>,
  { onFailure, intervalMs = INTERVAL_MS }: { onFailure?: (error: unknown) => void; intervalMs?: number } = {},
): LimitSummer {
  let current = new Map<string, LimitSum>();
  let waiting: { at: number; sums: LimitSum[] }[] = [];

  const onRequest = ({ area, key, errorCode, pressure, shadowRefusal }: RequestEvent) => {
    // Tools that act as a key have no limit; and where nobody could tell, no limit has refused or admitted.
    if (area !== 'portfolio' || key === null || errorCode === 'service_unavailable') return;
    const { id: keyId, tier } = key;
    const makeSum = () => ({ keyId, tier, admitted: 0, refused: 0, near: 0, letPass: 0 });
    const sum = getOrInsert(current, `${tier} ${keyId}`, makeSum);
    if (errorCode === 'rate_limit_exceeded') sum.refused++;
    else {
      sum.admitted++;
      if (pressure !== null) sum.near++;
      if (shadowRefusal !== null) sum.letPass++;
    }
  };
  events.on('request', onRequest);

  async function saveAll(): Promise<void> {
    if (current.size > 0) waiting.push({ at: performance.now() - intervalMs / 2, sums: [...current.values()] });
    current = new Map();
    waiting = waiting.slice(-MAX_KEPT);
    if (waiting.length === 0) return;
    const now = performance.now();
    const told = waiting;
    try {
      await save(told.map(({ at, sums }) => ({ ageSeconds: (now - at) / 1_000, sums })));
      waiting = waiting.filter((one) => !told.includes(one));
    } catch (error) {
      onFailure?.(error);
    }
  }

  const saving = oneAtATime(saveAll);
  const timer = setInterval(() => void saving.run(), intervalMs).unref();

  return {
    async close() {
      clearInterval(timer);
      events.off('request', onRequest);
      await saving.idle();
      await saveAll();
    },
  };
}
