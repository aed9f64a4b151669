// Portal: the routes of the sign-in library's endpoints that are exposed.
import type { FastifyInstance } from 'fastify';
import { Refusal, refuseParameter } from '#core/errors.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { json, respond } from '../respond.ts';
import { AUTH_PATH, AUTH_PATHS, type AuthPath } from './auth-paths.ts';
import { betterAuthRequest, pass } from './better-auth-bridge.ts';
import { openLink } from './links.ts';
import { limitAttempts, limitAttemptsAt, limitResets, limitSignIns } from './rate-limits.ts';
import { readObject, requireSameOrigin } from './request-guards.ts';
import { tellOutcome } from './sign-in-outcome.ts';
import { admitForFactors, rememberDevice, rememberDeviceOf } from './signed-in.ts';

/** A device's response for a passkey has a few kilobytes. */
const MAX_BODY = 16_384;

export function registerAuthRoutes(app: FastifyInstance, portal: Portal): void {
  for (const one of AUTH_PATHS)
    app.post(`${AUTH_PATH}${one.path}`, (_request, reply) =>
      respond(portal, reply, `auth${one.path}`, (exchange) => {
        return one.way === undefined
          ? post(portal, exchange, one)
          : tellOutcome(exchange, one.way, (noSignIn) => post(portal, exchange, one, noSignIn));
      }),
    );
}

/** `noSignIn` is called if the request turns out to be none to sign in. */
async function post(portal: Portal, exchange: Exchange, one: AuthPath, noSignIn?: () => void): Promise<Answer> {
  const { request } = exchange;
  requireSameOrigin(request, portal.origin);
  const given = await readObject(request, MAX_BODY);
  const body: Record<string, string> = {};
  for (const name of one.members) {
    const value = given[name];
    if (typeof value !== 'string') refuseParameter(name, `"${name}" is required and a text.`);
    body[name] = value;
  }
  const accountId = await changerOf(portal, exchange, one);
  // A code that confirms a new authenticator app signs nobody in.
  if (accountId !== null) noSignIn?.();
  await limit(portal, exchange, { way: one.way, body, accountId });
  // A person with a valid link reads the address's mail. The device becomes known, so that attempts by others do not
  // block its next sign-in.
  const { token } = body;
  const account = token === undefined ? null : await openLink(portal.signIn, portal.people, token);
  const library = await portal.signIn.betterAuth();
  const passedOn = betterAuthRequest(portal, request, body);
  if (one.answersFirst) return answerFirst(portal, exchange, () => library.handler(passedOn));
  const answer = await pass(portal, exchange, library, passedOn, (person) => rememberDevice(portal, exchange, person));
  if (account !== null) await rememberDeviceOf(portal, exchange, account.id);
  return answer;
}

function answerFirst({ signIn }: Portal, { gateway: { events }, requestId }: Exchange, work: () => Promise<unknown>) {
  const failed = (error: unknown) => events.emit('failure', { requestId, where: 'sign-in', error });
  signIn.inBackground(work().catch(failed));
  return json({});
}

/** The account whose factors the request changes; null if it changes none. */
async function changerOf(portal: Portal, exchange: Exchange, { changesFactors }: AuthPath): Promise<string | null> {
  if (changesFactors === undefined) return null;
  try {
    return (await admitForFactors(portal, exchange)).account.id;
  } catch (error) {
    const isSignIn = changesFactors === 'in a session' && error instanceof Refusal && error.code === 'not_signed_in';
    if (isSignIn) return null;
    throw error;
  }
}

interface Attempt {
  way: AuthPath['way'];
  body: Record<string, string>;
  /** The account whose factors it changes, if any. */
  accountId: string | null;
}

function limit({ signIn, people }: Portal, exchange: Exchange, { way, body, accountId }: Attempt): Promise<void> {
  if (accountId !== null) return limitAttemptsAt(exchange, accountId);
  if (body.email === undefined) return limitAttempts(exchange, signIn);
  return way === 'password'
    ? limitSignIns(exchange, { signIn, people }, body.email)
    : limitResets(exchange, { signIn, people }, body.email);
}
