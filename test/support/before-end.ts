// Test support: acts that must be done before an end in real time, on machines of any speed.

/**
 * Repeats `act`, each time with twice the time, until it is done before the end that `soon` returned. A failure after
 * that end does not count.
 */
export async function beforeEnd<Result>(act: (soon: () => Date) => Promise<Result>): Promise<Result> {
  for (let aheadMs = 1_000; ; aheadMs *= 2) {
    let end = Number.POSITIVE_INFINITY;
    const soon = () => {
      end = Date.now() + aheadMs;
      return new Date(end);
    };
    const [outcome] = await Promise.allSettled([act(soon)]);
    if (Date.now() >= end) continue;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}
