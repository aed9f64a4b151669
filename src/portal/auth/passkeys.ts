// Portal: passkeys (WebAuthn): added in a session after asking for the password again, and used to sign in. Each use
// requires user verification by the device (PIN, fingerprint, face), so that a passkey counts as two factors.
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { APIError, type BetterAuthPlugin } from 'better-auth';
import { createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { newId } from '#core/ids.ts';
import { MAX_PASSKEY_NAME } from '#core/text-lengths.ts';
import type { People } from '#gateway/consent/people.ts';

/** Maximum time for the device's response. */
const PATIENCE_MS = 5 * 60_000;
/**
 * Ed25519, ES256 and RS256 (COSE), which devices support. Set explicitly, since the library would ask Node for
 * experimental ones.
 */
const ALGORITHMS = [-8, -7, -257];

const failed = () => new APIError('UNAUTHORIZED', { code: 'PASSKEY_FAILED', message: 'It could not be verified.' });
const unknown = () => new APIError('UNAUTHORIZED', { code: 'PASSKEY_UNKNOWN', message: 'Nobody here has it.' });

interface Verifications {
  createVerificationValue(data: { identifier: string; value: string; expiresAt: Date }): Promise<unknown>;
  consumeVerificationValue(identifier: string): Promise<{ value: string; expiresAt: Date } | null>;
}

type Purpose = 'add' | 'sign-in';

const begin = (verifications: Verifications, purpose: Purpose, challenge: string, value: string) =>
  verifications.createVerificationValue({
    ...{ identifier: `passkey-${purpose}:${challenge}`, value },
    expiresAt: new Date(Date.now() + PATIENCE_MS),
  });

/** Whether the challenge was issued by us for this purpose. Each is accepted once. */
const isExpectedChallenge =
  (verifications: Verifications, purpose: Purpose, value: string) => async (challenge: string) => {
    const verification = await verifications.consumeVerificationValue(`passkey-${purpose}:${challenge}`);
    return verification !== null && verification.value === value && verification.expiresAt > new Date();
  };

/** The relying party's id and the expected origin, from the URL by which the portal is reached. */
const relyingParty = ({ url }: { url: string }) => ({
  rpID: new URL(url).hostname,
  expectedOrigin: new URL(url).origin,
});

/** The route (auth-routes.ts) has checked that all members are strings. */
const memberOf = (body: unknown, name: string): string => String((body as Record<string, unknown>)[name]);

const readResponse = <Response>(text: string): Response => {
  try {
    // `null` would have no members to read.
    return Object(JSON.parse(text)) as Response;
  } catch {
    throw failed();
  }
};

export function passkeys(people: People) {
  return {
    id: 'portico-passkeys',
    endpoints: {
      beginPasskey: createAuthEndpoint(
        '/passkey/begin-adding',
        { method: 'POST', use: [sessionMiddleware] },
        async (ctx) => {
          const { user } = ctx.context.session;
          await ctx.context.password.checkPassword(user.id, ctx as never);
          const there = await people.storedPasskeys(user.id);
          people.requireFewPasskeys(there.length);
          const { rpID } = relyingParty(ctx.request as Request);
          const options = await generateRegistrationOptions({
            ...{ rpName: 'Portico', rpID, userID: new TextEncoder().encode(user.id) },
            ...{ userName: user.email, userDisplayName: user.name, attestationType: 'none' },
            excludeCredentials: there.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
            supportedAlgorithmIDs: ALGORITHMS,
            authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
          });
          await begin(ctx.context.internalAdapter as Verifications, 'add', options.challenge, user.id);
          return ctx.json({ options });
        },
      ),
      addPasskey: createAuthEndpoint('/passkey/add', { method: 'POST', use: [sessionMiddleware] }, async (ctx) => {
        const { user, session } = ctx.context.session;
        const name = memberOf(ctx.body, 'name').trim().slice(0, MAX_PASSKEY_NAME) || 'Passkey';
        const { rpID, expectedOrigin } = relyingParty(ctx.request as Request);
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          response: readResponse<RegistrationResponseJSON>(memberOf(ctx.body, 'response')),
          expectedChallenge: isExpectedChallenge(ctx.context.internalAdapter as Verifications, 'add', user.id),
          ...{ expectedOrigin, expectedRPID: rpID, requireUserVerification: true, supportedAlgorithmIDs: ALGORITHMS },
        }).catch(() => ({ verified: false as const, registrationInfo: undefined }));
        if (!verified || registrationInfo === undefined) throw failed();
        const { credential, credentialBackedUp } = registrationInfo;
        const stored = await people.storePasskey(session.id, {
          ...{ id: newId('passkey'), accountId: user.id, name, synced: credentialBackedUp },
          ...{ credentialId: credential.id, publicKey: Buffer.from(credential.publicKey) },
          ...{ counter: credential.counter, transports: credential.transports ?? [] },
        });
        if (!stored) throw failed();
        await people.noteSecondFactor(session.id);
        return ctx.json({ added: true });
      }),
      beginPasskeySignIn: createAuthEndpoint('/passkey/begin-sign-in', { method: 'POST' }, async (ctx) => {
        const { rpID } = relyingParty(ctx.request as Request);
        // Without a list of passkeys, which would reveal whether an address is known here.
        const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' });
        await begin(ctx.context.internalAdapter as Verifications, 'sign-in', options.challenge, '');
        return ctx.json({ options });
      }),
      signInWithPasskey: createAuthEndpoint('/passkey/sign-in', { method: 'POST' }, async (ctx) => {
        const response = readResponse<AuthenticationResponseJSON>(memberOf(ctx.body, 'response'));
        const passkey = typeof response.id === 'string' ? await people.findPasskey(response.id) : null;
        if (passkey === null) throw unknown();
        const { id, accountId, sessionEpoch, credentialId, publicKey, counter, transports } = passkey;
        const { rpID, expectedOrigin } = relyingParty(ctx.request as Request);
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response,
          expectedChallenge: isExpectedChallenge(ctx.context.internalAdapter as Verifications, 'sign-in', ''),
          ...{ expectedOrigin, expectedRPID: rpID, requireUserVerification: true },
          credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter, transports },
        }).catch(() => ({ verified: false as const, authenticationInfo: undefined }));
        if (!verified || authenticationInfo === undefined) throw failed();
        if (!(await people.usePasskey(id, authenticationInfo.newCounter))) throw failed();
        const user = await ctx.context.internalAdapter.findUserById(accountId);
        if (user === null) throw unknown();
        const session = await ctx.context.internalAdapter.createSession(user.id, false, { sessionEpoch });
        await setSessionCookie(ctx, { session, user });
        return ctx.json({ token: session.token, user });
      }),
    },
  } satisfies BetterAuthPlugin;
}
