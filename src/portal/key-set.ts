// Portal: the public keys for verifying receipts, where other tools expect them.
import type { FastifyInstance } from 'fastify';
import { limitReads } from './auth/rate-limits.ts';
import type { Portal } from './portal.ts';
import { json, respond } from './respond.ts';

const PATH = '/.well-known/jwks.json';

/** Requires no sign-in. */
export function registerKeySet(app: FastifyInstance, portal: Portal): void {
  app.get(PATH, { exposeHeadRoute: true }, (_request, reply) =>
    respond(portal, reply, 'jwks.json', async (exchange) => {
      await limitReads(exchange, portal.signIn);
      return json(await portal.keySet());
    }),
  );
}
