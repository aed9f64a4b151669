// Portal: the endpoints of the sign-in library that are exposed, each with the accepted members of its body.
import type { FastifyInstance } from 'fastify';
import { Refusal, refuseParameter } from '#core/errors.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { json, respond } from '../respond.ts';
import { AUTH_PATH } from './auth-path.ts';
import { betterAuthRequest, pass } from './better-auth-bridge.ts';
import { openLink } from './links.ts';
import { limitAttempts, limitAttemptsAt, limitResets, limitSignIns } from './rate-limits.ts';
import { readObject, requireSameOrigin } from './request-guards.ts';
import { tellOutcome, WAYS } from './sign-in-outcome.ts';
import { admitForFactors, rememberDevice, rememberDeviceOf } from './signed-in.ts';

interface AuthPath {
  path: string;
  /** Members that are passed to the library, all of them strings. */
  members: readonly string[];
  /** Whether it changes the factors of the session's account. If so, attempts are counted by account. */
  changesFactors?: 'always' | 'in a session';
}

const RESET = '/request-password-reset';

const PATHS: readonly AuthPath[] = [
  { path: '/sign-in/email', members: ['email', 'password'] },
  { path: '/sign-out', members: [] },
  { path: RESET, members: ['email'] },
  { path: '/reset-password', members: ['token', 'newPassword'] },
  { path: '/two-factor/enable', members: ['password'], changesFactors: 'always' },
  { path: '/two-factor/disable', members: ['password'], changesFactors: 'always' },
  { path: '/two-factor/generate-backup-codes', members: ['password'], changesFactors: 'always' },
  { path: '/two-factor/verify-totp', members: ['code'], changesFactors: 'in a session' },
  { path: '/two-factor/verify-backup-code', members: ['code'] },
  { path: '/passkey/begin-adding', members: ['password'], changesFactors: 'always' },
  { path: '/passkey/add', members: ['name', 'response'], changesFactors: 'always' },
  { path: '/passkey/begin-sign-in', members: [] },
  { path: '/passkey/sign-in', members: ['response'] },
];

/** A device's response for a passkey has a few kilobytes. */
const MAX_BODY = 16_384;

export function registerAuthRoutes(app: FastifyInstance, portal: Portal): void {
  for (const one of PATHS)
    app.post(`${AUTH_PATH}${one.path}`, (_request, reply) =>
      respond(portal, reply, `auth${one.path}`, (exchange) => {
        const way = WAYS[one.path];
        return way === undefined
          ? post(portal, exchange, one)
          : tellOutcome(exchange, way, (noSignIn) => post(portal, exchange, one, noSignIn));
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
  await limit(portal, exchange, { path: one.path, body, accountId });
  // A person with a valid link reads the address's mail. The device becomes known, so that attempts by others do not
  // block its next sign-in.
  const { token } = body;
  const account = token === undefined ? null : await openLink(portal.signIn, portal.people, token);
  const library = await portal.signIn.betterAuth();
  const passedOn = betterAuthRequest(portal, request, body);
  if (one.path === RESET) return answerFirst(portal, exchange, () => library.handler(passedOn));
  const answer = await pass(portal, exchange, library, passedOn, (person) => rememberDevice(portal, exchange, person));
  if (account !== null) await rememberDeviceOf(portal, exchange, account.id);
  return answer;
}

/** Responds before the work is done: its duration would reveal whether the address has an account. */
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
  path: string;
  body: Record<string, string>;
  /** The account whose factors it changes, if any. */
  accountId: string | null;
}

function limit({ signIn, people }: Portal, exchange: Exchange, { path, body, accountId }: Attempt): Promise<void> {
  if (accountId !== null) return limitAttemptsAt(exchange, accountId);
  if (body.email === undefined) return limitAttempts(exchange, signIn);
  return path === '/sign-in/email'
    ? limitSignIns(exchange, { signIn, people }, body.email)
    : limitResets(exchange, { signIn, people }, body.email);
}
