// HTTP: requests that come over one connection take turns.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** So many may wait on a connection: these cost memory, too, and nobody who reads answers sends that many ahead of them. */
const MAX_WAITING = 1_000;

/** How many wait. */
const waiting = new WeakMap<Socket, number>();

/**
 * Each request begins once the one before it on its connection is answered and the answer handed over. By itself Node begins with
 * all that have come, and keeps their answers for as long as nobody reads them. Goes before any other hook. Where a connection
 * closes, what waits on it never begins.
 */
export function takeTurns(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, proceed) => {
    // It has the connection.
    if (response.socket !== null) return proceed();
    const ahead = waiting.get(socket) ?? 0;
    if (ahead === MAX_WAITING) return void socket.destroy();
    waiting.set(socket, ahead + 1);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 0) - 1);
      proceed();
    });
  });
}
