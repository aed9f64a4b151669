// Portal: configuration of the sign-in library better-auth, and where it deviates from the defaults.
import { hash } from 'node:crypto';
import { betterAuth } from 'better-auth';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { hashPassword, verifyPassword } from '#auth/password.ts';
import type { Events } from '#core/events.ts';
import { discoveryUrl, type IdentityProvider } from '#core/identity-providers.ts';
import { ID_PREFIXES, newId } from '#core/ids.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '#core/text-lengths.ts';
import { AUTH_PATH } from './auth-paths.ts';
import { beginSignIn, endSessionOfFactor, epochOf, useCodeOfSession } from './begun-sign-ins.ts';
import { beginSession, judgeMember } from './identities.ts';
import { passkeys } from './passkeys.ts';
import { ADDRESS_HEADER, RESET_SECONDS, type SignInParts } from './sign-in-parts.ts';
import * as tables from './sign-in-tables.ts';

const IDLE_SECONDS = 12 * 3_600;
const REFRESH_SECONDS = 15 * 60;

export type BetterAuth = ReturnType<typeof openBetterAuth>;

/**
 * An instance of the library for this provider, or without any. The library fetches a provider's settings before it
 * does anything else. Each provider has an instance of its own, so that one that does not respond delays nobody else.
 */
export function openBetterAuth(
  parts: SignInParts,
  provider: IdentityProvider | null,
  inBackground: (task: Promise<unknown>) => void,
) {
  const { people, origin, events, sendReset } = parts;
  return betterAuth({
    appName: 'Portico',
    baseURL: origin,
    basePath: AUTH_PATH,
    secret: parts.secret,
    database: people.pool as never,
    trustedOrigins: (request) => (parts.anyOrigin && request !== undefined ? [new URL(request.url).origin] : []),
    // Replaced by the product's own limiter (rate-limits.ts), which covers all gateways.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    experimental: { instrumentation: { enabled: false } },
    logger: { level: 'error', log: (_level, message, ...details) => report(events, message, details) },
    onAPIError: { throw: true, errorURL: `${origin}/portal/sign-in` },
    advanced: {
      cookiePrefix: 'portico',
      defaultCookieAttributes: { path: '/portal', httpOnly: true, sameSite: 'lax' },
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: ({ model }) => newId(tables.ID_KINDS[model] ?? 'event'), validateSchema: false },
      // A response that waited for the mail server would reveal which addresses have accounts.
      backgroundTasks: { handler: inBackground },
    },
    user: { ...tables.user, validateUserInfo: async ({ user, source }) => judgeMember(parts, user, source) },
    session: {
      ...tables.session,
      expiresIn: IDLE_SECONDS,
      updateAge: REFRESH_SECONDS,
      freshAge: 0,
    },
    account: {
      ...tables.account,
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, trustedProviders: [], allowDifferentEmails: false },
    },
    verification: {
      ...tables.verification,
      // An OAuth state is valid only for the provider for which it was made.
      storeIdentifier:
        provider === null ? 'hashed' : { hash: async (name) => hash('sha256', `${provider.id} ${name}`) },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD,
      maxPasswordLength: MAX_PASSWORD,
      password: { hash: hashPassword, verify: ({ hash, password }) => verifyPassword(hash, password) },
      resetPasswordTokenExpiresIn: RESET_SECONDS,
      sendResetPassword: async ({ user, token }) => sendReset?.(user, token),
    },
    hooks: { before: beginSignIn(people) },
    databaseHooks: {
      user: {
        update: {
          // Names the epoch of the session that turns the second factor on: the database refuses an earlier one.
          before: async (change, context) => {
            if (change.twoFactorEnabled !== true) return;
            const sessionEpoch = await endSessionOfFactor(people, context);
            if (sessionEpoch !== null) return { data: { sessionEpoch } };
          },
        },
      },
      session: {
        create: {
          before: async (session, context) => {
            await useCodeOfSession(people, session.userId, context);
            return beginSession(parts, IDLE_SECONDS, session, context);
          },
          // Deletes the session that the new one replaces; the browser keeps only the new cookie.
          after: async (_session, context) => {
            if (context === null || context === undefined) return;
            const { authCookies, internalAdapter, secret } = context.context;
            const replaced = await context.getSignedCookie(authCookies.sessionToken.name, secret);
            if (replaced) await internalAdapter.deleteSession(replaced);
          },
        },
      },
      verification: {
        create: {
          // A value with an account's id is a sign-in that waits for its second factor.
          before: async (verification, context) => {
            const isOfAccount = verification.value.startsWith(`${ID_PREFIXES.account}_`);
            return { data: { ...verification, sessionEpoch: isOfAccount ? epochOf(context) : null } };
          },
        },
      },
      account: { create: { before: async (credential) => ({ data: { ...credential, ...NOT_KEPT } }) } },
    },
    plugins: [
      passkeys(people),
      twoFactor({ issuer: 'Portico', schema: tables.secondFactor }),
      genericOAuth({ config: provider === null ? [] : [asOAuth(provider)] }),
    ],
  });
}

/** A provider is used for sign-in only: its tokens are not stored. */
const NOT_KEPT = {
  accessToken: null,
  refreshToken: null,
  idToken: null,
  accessTokenExpiresAt: null,
  refreshTokenExpiresAt: null,
};

interface Vouched {
  tokens: { idToken?: string | undefined };
  profile: { sub?: unknown; email?: unknown };
}

/**
 * The subject by which the library finds an account again. Requires an ID token, which is verified; without one the
 * library would trust the userinfo endpoint. Includes the address: a provider vouches for the person it names now, and
 * an account belongs to an address.
 */
const subjectOf = ({ tokens, profile }: Vouched): string =>
  tokens.idToken ? `${profile.sub} ${String(profile.email).toLowerCase()}` : '';

function asOAuth(provider: IdentityProvider) {
  const { id, label, clientId, clientSecret } = provider;
  return {
    providerId: id,
    name: label,
    discoveryUrl: discoveryUrl(provider),
    requireIdTokenVerification: true,
    accountSubject: subjectOf,
    clientId,
    clientSecret,
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
  };
}

/** Only errors are reported, since the library's messages may quote user input. */
function report(events: Events, message: string, details: unknown[]): void {
  const error = details.find((detail) => detail instanceof Error);
  if (error !== undefined) events.emit('failure', { requestId: null, where: 'sign-in', error });
  else if (/failed/i.test(message))
    events.emit('failure', { requestId: null, where: 'sign-in', error: new Error(message) });
}
