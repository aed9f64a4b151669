// Portal: the sign-in library's own endpoints: those that are used, each with the members of its body that count.
import type { FastifyInstance } from 'fastify';
import { Refusal } from '#core/errors.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { respond } from '../respond.ts';
import { betterAuthRequest, pass } from './better-auth-bridge.ts';
import { limitAttempts } from './rate-limits.ts';
import { readObject, requireSameOrigin } from './request-guards.ts';
import { AUTH_PATH } from './sign-in-parts.ts';
import { readSignedIn } from './signed-in.ts';

interface AuthPath {
  path: string;
  /** Members that are passed on, all of them texts. */
  members: readonly string[];
  /** Needs a session, and counts attempts by its account. */
  signedIn?: true;
  /** The member that says whom an attempt is aimed at. */
  aim?: string;
}

const PATHS: readonly AuthPath[] = [
  { path: '/sign-in/email', members: ['email', 'password'], aim: 'email' },
  { path: '/sign-out', members: [] },
  { path: '/request-password-reset', members: ['email'], aim: 'email' },
  { path: '/reset-password', members: ['token', 'newPassword'] },
  { path: '/change-password', members: ['currentPassword', 'newPassword'], signedIn: true },
  { path: '/two-factor/enable', members: ['password'], signedIn: true },
  { path: '/two-factor/disable', members: ['password'], signedIn: true },
  { path: '/two-factor/generate-backup-codes', members: ['password'], signedIn: true },
  { path: '/two-factor/verify-totp', members: ['code'] },
  { path: '/two-factor/verify-backup-code', members: ['code'] },
];

const MAX_BODY = 4_096;

export const authPaths: readonly string[] = PATHS.map(({ path }) => `${AUTH_PATH}${path}`);

export function registerAuthRoutes(app: FastifyInstance, portal: Portal): void {
  for (const one of PATHS)
    app.post(`${AUTH_PATH}${one.path}`, (_request, reply) =>
      respond(portal, reply, `auth${one.path}`, (exchange) => post(portal, exchange, one)),
    );
}

async function post(portal: Portal, exchange: Exchange, one: AuthPath): Promise<Answer> {
  const { request } = exchange;
  requireSameOrigin(request, portal.origin);
  const given = await readObject(request, MAX_BODY);
  const body: Record<string, unknown> = {};
  for (const name of one.members) {
    const value = given[name];
    if (typeof value !== 'string')
      throw new Refusal('invalid_parameter', { param: name, message: `"${name}" is required and a text.` });
    body[name] = value;
  }
  const who = one.signedIn === true ? await readSignedIn(portal, exchange) : null;
  await limitAttempts(exchange, who?.account.id ?? (one.aim === undefined ? null : String(body[one.aim])));
  const answer = await pass(exchange, await portal.signIn.betterAuth(), betterAuthRequest(portal, request, body));
  // Sessions that were opened with the old password end.
  if (who !== null && one.path === '/change-password')
    await portal.people.endOtherSessions({ accountId: who.account.id, provider: null }, who.sessionId);
  return answer;
}
