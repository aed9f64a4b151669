// Portal: the public keys that receipts are verified with, where the tools of others look for them.
import type { FastifyInstance } from 'fastify';
import { limitLooks } from './auth/rate-limits.ts';
import type { Portal } from './portal.ts';
import { json, respond } from './respond.ts';

const PATH = '/.well-known/jwks.json';

/** For everybody. */
export function registerKeySet(app: FastifyInstance, portal: Portal): void {
  app.get(PATH, { exposeHeadRoute: true }, (_request, reply) =>
    respond(portal, reply, 'jwks.json', async (exchange) => {
      await limitLooks(exchange, portal.signIn);
      return json(await portal.keySet());
    }),
  );
}
