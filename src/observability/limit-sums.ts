// Observability: sums what limits did per key, and saves the sums every few seconds. A request costs one addition.
import type { Events, RequestEvent } from '#core/events.ts';
import { getOrInsert } from '#core/get-or-insert.ts';
import { oneAtATime } from '#core/one-at-a-time.ts';
import type { Tier } from '#core/tiers.ts';

/** What the limits of a key did within one interval. */
export interface LimitSum {
  keyId: string;
  tier: Tier;
  /** Not refused by a limit, whatever the response was. */
  admitted: number;
  refused: number;
  /** Admitted requests at which the use of the limit of the key or its firm was near it. */
  near: number;
  /** Admitted requests that shadow mode kept from being refused. */
  letPass: number;
}

/** Sums with their age by a monotonic clock. */
export interface AgedSums {
  ageSeconds: number;
  sums: readonly LimitSum[];
}

const INTERVAL_MS = 5_000;
/** Intervals kept while saving fails. Older sums are dropped, because they are only statistics. */
const MAX_RETAINED = 60;

/**
 * After a failure `save` is called with the same sums again. Where only its answer was lost, they may count twice.
 * `close` saves the remaining sums.
 */
export function sumLimits(
  events: Events,
  save: (waiting: readonly AgedSums[]) => Promise<void>,
  onFailure: (error: unknown) => void,
) {
  let current = new Map<string, LimitSum>();
  let waiting: { at: number; sums: LimitSum[] }[] = [];

  const onRequest = ({ area, key, errorCode, nearLimit, shadowRefusal }: RequestEvent) => {
    // Tools that act as a key have no limit. After `service_unavailable` no limit has decided.
    if (area !== 'portfolio' || key === null || errorCode === 'service_unavailable') return;
    const { id: keyId, tier } = key;
    const makeSum = () => ({ keyId, tier, admitted: 0, refused: 0, near: 0, letPass: 0 });
    const sum = getOrInsert(current, `${tier} ${keyId}`, makeSum);
    if (errorCode === 'rate_limit_exceeded') sum.refused++;
    else {
      sum.admitted++;
      if (nearLimit !== null) sum.near++;
      if (shadowRefusal !== null) sum.letPass++;
    }
  };
  events.on('request', onRequest);

  async function saveAll(): Promise<void> {
    if (current.size > 0) waiting.push({ at: performance.now() - INTERVAL_MS / 2, sums: [...current.values()] });
    current = new Map();
    waiting = waiting.slice(-MAX_RETAINED);
    if (waiting.length === 0) return;
    const now = performance.now();
    const pending = waiting;
    try {
      await save(pending.map(({ at, sums }) => ({ ageSeconds: (now - at) / 1_000, sums })));
      waiting = waiting.filter((one) => !pending.includes(one));
    } catch (error) {
      onFailure(error);
    }
  }

  const saving = oneAtATime(saveAll);
  const timer = setInterval(() => void saving.run(), INTERVAL_MS).unref();

  return {
    async close(): Promise<void> {
      clearInterval(timer);
      events.off('request', onRequest);
      await saving.idle();
      await saveAll();
    },
  };
}
