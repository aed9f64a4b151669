// Portal: signing in through a firm's OpenID provider: the way there, and the way back.
import type { FastifyInstance } from 'fastify';
import { Refusal, refuse } from '#core/errors.ts';
import { within } from '#core/within.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { respond } from '../respond.ts';
import { AUTH_PATH } from './auth-path.ts';
import { betterAuthRequest, pass } from './better-auth-bridge.ts';
import { limitAttempts } from './rate-limits.ts';
import { readObject, requireSameOrigin, textOf } from './request-guards.ts';
import { tellOutcome } from './sign-in-outcome.ts';

const MAX_BODY = 4_096;
/** A provider that takes longer has gone away; people should hear of it while they still look at the page. */
const PATIENCE_MS = 10_000;

export function registerProviderRoutes(app: FastifyInstance, portal: Portal): void {
  app.post(`${AUTH_PATH}/sign-in/social`, (request, reply) =>
    respond(portal, reply, 'auth/sign-in/social', async (exchange) => {
      requireSameOrigin(request, portal.origin);
      await limitAttempts(exchange, portal.signIn);
      const provider = textOf(await readObject(request, MAX_BODY), 'provider');
      const ways = { callbackURL: '/portal/', errorCallbackURL: '/portal/sign-in', disableRedirect: true };
      return through(portal, exchange, provider, { provider, ...ways });
    }),
  );
  // A navigation from the provider's site: never same-origin.
  app.get(`${AUTH_PATH}/callback/:id`, (request, reply) =>
    respond(portal, reply, 'auth/callback', async (exchange) => {
      const { id } = request.params as { id: string };
      const answered = tellOutcome(exchange, 'provider', async () => {
        await limitAttempts(exchange, portal.signIn);
        return through(portal, exchange, id, null);
      });
      // The browser shows the result of this address, so a refusal leads to a page.
      return answered.catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return { status: 302, body: null, headers: { Location: `/portal/sign-in?error=${error.code}` } };
      });
    }),
  );
}

/** Throws Refusal `service_unavailable` where the provider does not answer in time, or not as one. */
async function through(portal: Portal, exchange: Exchange, id: string, body: object | null): Promise<Answer> {
  const away = (cause: unknown) => {
    portal.signIn.forget(id);
    return new Refusal('service_unavailable', { message: 'The provider does not answer right now.', cause });
  };
  const library = await portal.signIn.through(id).catch((error: unknown) => {
    throw away(error);
  });
  if (library === null) refuse('resource_not_found', 'There is no such way to sign in.');
  const answer = pass(portal, exchange, library, betterAuthRequest(portal, exchange.request, body)).catch(
    (error: unknown) => {
      // It is configured: if the library knows nothing of it, it did not say how to reach it.
      throw error instanceof Refusal && error.code === 'resource_not_found' ? away(error) : error;
    },
  );
  return within(PATIENCE_MS, answer, () => away(new Error(`the provider ${id} is silent`)));
}
