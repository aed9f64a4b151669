// Observability: closes a listener without losing a request that was sent to it in time.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** What was sent before the stop has crossed the network by then. */
const LINGER_MS = 100;

export interface Listener {
  server: Server;
  /** Takes no new connection, closes idle ones, and resolves when the others are done. */
  close(): Promise<unknown>;
}

export interface Drain {
  /** How long the listener goes on as before, except that each response ends its connection. */
  delayMs?: number;
  /** Requests that take longer from then on are cut off. */
  patienceMs: number;
}

/** From now on each response tells its client to make another connection for the next request. */
export function endKeptConnections({ server }: Listener): void {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
}

/** Lets clients leave, then lets requests that were sent before finish. */
export async function drain(listener: Listener, { delayMs = 0, patienceMs }: Drain): Promise<void> {
  endKeptConnections(listener);
  await sleep(Math.max(LINGER_MS, delayMs));
  const deadline = performance.now() + patienceMs;
  await arrivals(listener, AbortSignal.timeout(patienceMs));
  const closed = listener.close();
  const leftMs = Math.max(0, deadline - performance.now());
  const impatience = setTimeout(() => listener.server.closeAllConnections(), leftMs);
  await closed;
  clearTimeout(impatience);
}

/**
 * Resolves when what has reached this machine has reached the process, however busy it is. A listener that closes resets the
 * connections that wait to be accepted, of which a process takes one in each turn of its event loop. They are accepted in their
 * order, by workers too: once a connection of our own, made now, has been accepted and closed, so has each before it.
 */
async function arrivals({ server }: Listener, signal: AbortSignal): Promise<void> {
  if (!server.listening) return;
  const { address: host, port } = server.address() as AddressInfo;
  const last = connect({ host, port, signal }).end().resume();
  // Where it fails, or is not accepted in time, the listener closes all the same.
  await once(last, 'close').catch(() => {});
  // What came with its end is read in the same turn.
  await nextTurn();
}
