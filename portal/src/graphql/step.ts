// GraphQL client: a step is sent once. Where its answer is lost, what became of it is read, and it is never sent again.
import { call } from './call.ts';
import type { Operation } from './operation.ts';
import { isTransient, PorticoError } from './portico-error.ts';
import { serverNow } from './server-clock.ts';

/** How late a step may arrive: later, the server refuses it. */
const ARRIVES_MS = 10_000;
/** How long the server may then work on it (src/portal/endpoint.ts); after that a step that is not there will not come. */
const WORKS_MS = 15_000;
const PAUSE_MS = 1_000;

export interface Step<Body, Variables> {
  operation: Operation<Body, Variables>;
  variables: Variables;
  /** Reads what became of it since then, in Unix milliseconds: what it would have answered, or null where it was not done. */
  ask: (variables: Variables, since: number) => Promise<Body | null>;
  /** Gives up waiting for the answer. */
  cancelled: AbortSignal;
  /** Called when the answer is lost. */
  onLost: () => void;
}

/** Throws PorticoError: the step's refusal, or `offline` or `not_done`, where nothing was done. */
export async function takeStep<Body, Variables>(step: Step<Body, Variables>): Promise<Body> {
  const { operation, variables, ask, cancelled, onLost } = step;
  const sent = serverNow();
  const until = sent + ARRIVES_MS;
  const outcome = () => ask(variables, sent - PAUSE_MS);
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(ARRIVES_MS + WORKS_MS)]);
  try {
    return await call(operation, variables, { signal, until });
  } catch (error) {
    const done = isSecond(error) ? await outcome().catch(unlessTransient) : null;
    if (done !== null && done !== undefined) return done;
    if (error instanceof PorticoError && error.code === 'offline') throw new PorticoError(0, NOT_SENT);
    // Where that could not be read, it is read below until it can.
    if (done === null && !isOpen(error)) throw error;
  }
  onLost();
  for (;;) {
    // What is read from now on is final.
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

const NOT_DONE = { code: 'not_done', message: 'The answer did not come, and it was not done. You can try again.' };

/** Whether it may be the answer to a request that a browser or proxy sent a second time by itself. */
const isSecond = (error: unknown): boolean =>
  error instanceof PorticoError && ['invalid_transition', 'already_exists'].includes(error.code);

/** Whether the step may have been taken all the same. */
function isOpen(error: unknown): boolean {
  if (!(error instanceof PorticoError)) return true;
  return error.status === 0 || error.status >= 500;
}

function unlessTransient(error: unknown): undefined {
  if (!isTransient(error)) throw error;
}
