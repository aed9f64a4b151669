// Observability: closes a listener without losing a request that was sent to it in time.
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What was sent before the stop has arrived by then: connections that wait to be accepted, requests not yet read. */
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
  const impatience = setTimeout(() => listener.server.closeAllConnections(), patienceMs);
  await listener.close();
  clearTimeout(impatience);
}
