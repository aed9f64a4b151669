// Portal: sign-in through a firm's OpenID provider: redirect and callback.
import type { FastifyInstance } from 'fastify';
import { Refusal, refuse } from '#core/errors.ts';
import { withTimeout } from '#core/with-timeout.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { respond } from '../respond.ts';
import { AUTH_PATH } from './auth-paths.ts';
import { betterAuthRequest, pass } from './better-auth-bridge.ts';
import { limitAttempts } from './rate-limits.ts';
import { readObject, requireSameOrigin, textOf } from './request-guards.ts';
import { tellOutcome } from './sign-in-outcome.ts';

const MAX_BODY = 4_096;
/** A slower provider counts as unavailable, so that people learn of it while they still look at the page. */
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
  // A navigation from the provider's site is never same-origin.
  app.get(`${AUTH_PATH}/callback/:id`, (request, reply) =>
    respond(portal, reply, 'auth/callback', async (exchange) => {
      const { id } = request.params as { id: string };
      const answered = tellOutcome(exchange, 'provider', async () => {
        await limitAttempts(exchange, portal.signIn);
        return through(portal, exchange, id, null);
      });
      // The browser shows the response, so a refusal redirects to a page.
      return answered.catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return { status: 302, body: null, headers: { Location: `/portal/sign-in?error=${error.code}` } };
      });
    }),
  );
}

/** Throws Refusal `service_unavailable` if the provider does not respond in time, or not as an OpenID provider. */
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
      // The provider is configured. If the library does not know it, its discovery document is unusable.
      throw error instanceof Refusal && error.code === 'resource_not_found' ? away(error) : error;
    },
  );
  return withTimeout(PATIENCE_MS, answer, () => away(new Error(`the provider ${id} is silent`)));
}
