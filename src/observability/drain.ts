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

/** Lets requests that were sent before now finish, and cuts off those that take longer than `patienceMs`. */
export async function drain(listener: Listener, patienceMs: number): Promise<void> {
  const { server } = listener;
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  await sleep(LINGER_MS);
  const impatience = setTimeout(() => server.closeAllConnections(), patienceMs);
  await listener.close();
  clearTimeout(impatience);
}
