// Observability: closes a listener without losing a request that was sent to it in time.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Requests sent before the stop have crossed the network within this time. */
const LINGER_MS = 100;

export interface Listener {
  server: Server;
  /** Stops accepting connections, closes idle ones, and resolves when the others are done. */
  close(): Promise<unknown>;
}

export interface Drain {
  /** How long the listener continues as before, except that each response closes its connection. */
  delayMs?: number;
  /** Timeout from then on, after which requests are cut off. */
  patienceMs: number;
}

/** From now on each response makes its client open another connection for the next request. */
export function endKeptConnections({ server }: Listener): void {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
}

/** Lets clients leave, then lets requests that were already sent finish. */
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
 * Resolves when the process has accepted everything that has reached this machine. A closing listener resets
 * connections that wait to be accepted, of which a process accepts one per turn of its event loop. They are accepted in
 * order, by workers too: once a connection that we make now has been accepted and closed, so has each one before it.
 */
async function arrivals({ server }: Listener, signal: AbortSignal): Promise<void> {
  if (!server.listening) return;
  const { address: host, port } = server.address() as AddressInfo;
  const last = connect({ host, port, signal }).end().resume();
  // If this fails or times out, the listener is closed all the same.
  await once(last, 'close').catch(() => {});
  // Requests that came with the end of the connection are read in the same turn.
  await nextTurn();
}
