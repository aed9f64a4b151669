// Core: time as a value that tests can set.

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}

/** Reads another clock, over some way: Unix milliseconds. */
export type ReadClock = () => Promise<number>;

/** How far another clock is ahead of this one, at least and at most: milliseconds. What lies between, the way to it may explain. */
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

/** As the process began, and from then on by a clock that nobody sets: for what is counted over some time. */
export const steadyClock: Clock = { now: () => Math.floor(timeOrigin + performance.now()) };
