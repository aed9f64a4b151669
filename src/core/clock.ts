// Core: the clock as an interface, so that tests can set the time.

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}

/** Reads a remote clock: Unix milliseconds. */
export type ReadClock = () => Promise<number>;

/**
 * Bounds of another clock's lead over this one, in milliseconds. Their difference is the time that the reading took.
 */
export interface ClockOffset {
  min: number;
  max: number;
}

export async function compareClocks(read: ReadClock, own: Clock): Promise<ClockOffset> {
  const before = own.now();
  const there = await read();
  return { min: there - own.now(), max: there - before };
}

export const systemClock: Clock = { now: () => Date.now() };

const { timeOrigin } = performance;

/** The system time at process start, and monotonic from then on. For measuring intervals. */
export const steadyClock: Clock = { now: () => Math.floor(timeOrigin + performance.now()) };
