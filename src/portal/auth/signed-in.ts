// Portal: the session of a request: who is signed in, and as whom they act.
import { Refusal, refuse } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
import type { SecondFactorRule } from '#core/second-factor-rule.ts';
import type { Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { betterAuthHeaders } from './better-auth-bridge.ts';
import type { KnownPerson } from './known-devices.ts';
import { limitOperations } from './rate-limits.ts';

/** For whom the page was read that sends the request. */
const USER_HEADER = 'x-portico-user';

export interface SignedIn {
  sessionId: string;
  account: { id: string; email: string; name: string; secondFactor: boolean };
  actingUserId: string;
  /** Null: a password was given. */
  provider: string | null;
  principal: Principal;
  /** Whether the session began with a second factor. */
  withSecondFactor: boolean;
  /** A second factor is required of them here, and the session began without one. */
  factorMissing: boolean;
}

/**
 * Reads the session and whom it acts as, afresh: what was revoked, or taken from the user, has no effect any more.
 * A session that is due to be prolonged is. Throws Refusal `not_signed_in`, or `acting_as_another` where the request
 * is meant for another user: two tabs have one session, and one of them may have gone on as somebody else.
 */
export async function readSignedIn(
  { people, signIn, origin, requireSecondFactor }: Portal,
  exchange: Exchange,
): Promise<SignedIn> {
  const library = await signIn.betterAuth();
  const { headers: answered, response } = await people.timedFor(exchange.times, () =>
    library.api.getSession({ headers: betterAuthHeaders(exchange.request, origin), returnHeaders: true }),
  );
  exchange.reply.header('Set-Cookie', answered.getSetCookie());
  if (response === null) throw new Refusal('not_signed_in');
  const { session, user } = response;
  const { provider = null, actingUserId = null } = session;
  const withSecondFactor = session.withSecondFactor === true;
  const who = { accountId: user.id, userId: actingUserId ?? '' };
  const admitted = await people.admit(who, signIn.identityFilter(provider));
  if (admitted === null) throw new Refusal('not_signed_in');
  const { principal } = admitted;
  const meant = exchange.request.headers[USER_HEADER];
  if (meant !== undefined && meant !== who.userId) throw new Refusal('acting_as_another');
  const { id, email, name } = user;
  const account = { id, email, name, secondFactor: user.twoFactorEnabled === true };
  const required = admitted.factorRequired || isRequired(requireSecondFactor, principal.kind === 'client');
  // What a provider asks of its firm's people is the firm's own affair.
  const factorMissing = required && provider === null && !withSecondFactor;
  return {
    sessionId: session.id,
    account,
    actingUserId: who.userId,
    provider,
    principal,
    withSecondFactor,
    factorMissing,
  };
}

/**
 * Who asks for something beside the account itself, which counts as an operation of the account. Throws Refusal as `readSignedIn` does,
 * and `second_factor_required` where one is missing.
 */
export async function admitOperation(portal: Portal, exchange: Exchange): Promise<Principal> {
  const { account, principal, factorMissing } = await readSignedIn(portal, exchange);
  if (factorMissing) throw new Refusal('second_factor_required');
  await limitOperations(exchange, account.id);
  return principal;
}

/**
 * As `readSignedIn`, for what a person proves who they are by. A provider speaks for their membership, and not for that; and a password
 * alone neither removes a second factor nor adds one beside it. Throws Refusal `forbidden`, `second_factor_required`.
 */
export async function readForFactors(portal: Portal, exchange: Exchange): Promise<SignedIn> {
  const who = await readOwner(portal, exchange);
  if (!who.withSecondFactor && (await asksForFactor(portal, who.account)))
    refuse('second_factor_required', 'Sign in with your second factor to change it.');
  return who;
}

/** As `readSignedIn`, where the person has to be there themself. Throws Refusal `forbidden` where a provider vouches for them. */
export async function readOwner(portal: Portal, exchange: Exchange): Promise<SignedIn> {
  const who = await readSignedIn(portal, exchange);
  if (who.provider !== null) refuse('forbidden', 'Sign in with your password or a passkey to change this.');
  return who;
}

/** Whether signing in, or something that the person is here, takes a second factor that they have. */
async function asksForFactor(
  { people, requireSecondFactor }: Portal,
  { id, email, secondFactor }: SignedIn['account'],
): Promise<boolean> {
  if (secondFactor) return true;
  if ((await people.passkeys(id)).length === 0) return false;
  const identities = await people.identities(email, { firmId: null, closedFirms: [] });
  return identities.some(
    ({ role, factorRequired }) => factorRequired || isRequired(requireSecondFactor, role === 'client'),
  );
}

/** From now on the device is known as one on which this person has signed in. */
export function knowDevice({ signIn }: Portal, { reply }: Exchange, person: KnownPerson): void {
  reply.header('Set-Cookie', signIn.devices.cookie(person));
}

/** The same, by the account as it is now: where it was proven by a link, or in a session whose epoch has just changed. */
export async function knowDeviceOf(portal: Portal, exchange: Exchange, accountId: string): Promise<void> {
  const account = await portal.people.account(accountId);
  if (account !== null) knowDevice(portal, exchange, account);
}

function isRequired(of: SecondFactorRule, isClient: boolean): boolean {
  switch (of) {
    case 'nobody':
      return false;
    case 'staff':
      return !isClient;
    case 'everybody':
      return true;
    default:
      return of satisfies never;
  }
}
