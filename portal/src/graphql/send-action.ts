// GraphQL client: sends an action once. If the response is lost, its result is looked up; the action is never sent
// again.
import { ARRIVES_MS, WORKS_MS } from '#core/action-limits.ts';
import { call } from './call.ts';
import type { Operation } from './operation.ts';
import { isTransient, PorticoError } from './portico-error.ts';
import { serverNow } from './server-clock.ts';

const PAUSE_MS = 1_000;

export interface Action<Body, Variables> {
  operation: Operation<Body, Variables>;
  variables: Variables;
  /**
   * Looks up the result of an action sent after `since` (Unix milliseconds): what the response would have been, or null
   * if it was not done.
   */
  lookUp: (variables: Variables, since: number) => Promise<Body | null>;
  /** Stops waiting for the response. */
  cancelled: AbortSignal;
  /** Called when the response is lost. */
  onLost: () => void;
}

/** Throws PorticoError: the refusal, or `offline` or `not_done` if nothing was done. */
export async function sendAction<Body, Variables>(action: Action<Body, Variables>): Promise<Body> {
  const { operation, variables, lookUp, cancelled, onLost } = action;
  const sent = serverNow();
  const until = sent + ARRIVES_MS;
  const outcome = () => lookUp(variables, sent - PAUSE_MS);
  try {
    return await call(operation, variables, { signal: cancelled, until });
  } catch (error) {
    const done = isSecond(error) ? await outcome().catch(unlessTransient) : null;
    if (done !== null && done !== undefined) return done;
    if (error instanceof PorticoError && error.code === 'offline') throw new PorticoError(0, NOT_SENT);
    // If the result could not be read, it is looked up below until it can.
    if (done === null && !maybeDone(error)) throw error;
  }
  onLost();
  for (;;) {
    // From then on the result is final.
    const settled = serverNow() > until + WORKS_MS;
    const body = await outcome().catch(unlessTransient);
    if (body !== null && body !== undefined) return body;
    if (body === null && settled) throw new PorticoError(0, NOT_DONE);
    await new Promise((wake) => setTimeout(wake, PAUSE_MS));
  }
}

const NOT_SENT = {
  code: 'offline',
  message: 'You are offline: nothing was sent. Try again once you are connected.',
};

const NOT_DONE = { code: 'not_done', message: 'There was no response, and nothing was done. You can try again.' };

/** Whether the refusal may be for a duplicate that a browser or proxy sent on its own. */
const isSecond = (error: unknown): boolean =>
  error instanceof PorticoError && ['invalid_transition', 'already_exists'].includes(error.code);

/** Whether the action may have been done in spite of the error. */
function maybeDone(error: unknown): boolean {
  if (!(error instanceof PorticoError)) return true;
  return error.status === 0 || error.status >= 500;
}

function unlessTransient(error: unknown): undefined {
  if (!isTransient(error)) throw error;
}
