// HTTP: executes pipelined requests of a connection one after the other.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Maximum of waiting requests per connection. They take memory, and a client that reads its responses never pipelines
 * as many.
 */
const MAX_WAITING = 1_000;

/** Number of waiting requests. */
const waiting = new WeakMap<Socket, number>();

/**
 * Starts each request once the response to the previous one on its connection has been handed to the operating system.
 * By default Node starts all requests that it has parsed, and buffers their responses until the client reads them. Must
 * be the first hook. Requests that still wait when their connection closes are never started.
 */
export function takeTurns(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, proceed) => {
    // The response already has its turn.
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
