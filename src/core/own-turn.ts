// Core: a turn of the event loop that is one request's alone.
import { setImmediate } from 'node:timers/promises';

/**
 * What follows, as far as it waits for nothing outside the process, is done before anything else begins. The answers that
 * many requests wait for come together, and would have them all build their bodies at once, a step of each in turn: the
 * garbage collector would find every one of them alive, and carry them along.
 */
export function ownTurn(): Promise<void> {
  return setImmediate();
}
