// Portal: the session of a request: the signed-in account, and the user as which it acts.
import { Refusal, refuse } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
import type { SecondFactorRule } from '#core/second-factor-rule.ts';
import type { Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { betterAuthHeaders } from './better-auth-bridge.ts';
import type { KnownPerson } from './known-devices.ts';
import { limitOperations, limitReads } from './rate-limits.ts';

/** The user for whom the sending page was loaded. */
const USER_HEADER = 'x-portico-user';

export interface SignedIn {
  sessionId: string;
  account: { id: string; email: string; name: string; secondFactor: boolean };
  actingUserId: string;
  /** Null if a password or a passkey was used. */
  provider: string | null;
  principal: Principal;
  /** Whether the session began with a second factor. */
  withSecondFactor: boolean;
  /** Whether a second factor is required, and the session began without one. */
  factorMissing: boolean;
}

/**
 * Reads the session and its user anew, so that revocations take effect at once. Prolongs the session if that is due.
 * Throws Refusal `not_signed_in`, or `acting_as_another` if the request is meant for another user: tabs share a
 * session, and another tab may have switched the user.
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
  const { provider = null } = session;
  const actingUserId = session.actingUserId ?? '';
  const withSecondFactor = session.withSecondFactor === true;
  const { id, email, name } = user;
  const admitted = await people.admit({ email, userId: actingUserId }, signIn.identityFilter(provider));
  if (admitted === null) throw new Refusal('not_signed_in');
  const { principal } = admitted;
  const meant = exchange.request.headers[USER_HEADER];
  if (meant !== undefined && meant !== actingUserId) throw new Refusal('acting_as_another');
  const account = { id, email, name, secondFactor: user.twoFactorEnabled === true };
  const required = admitted.factorRequired || isRequired(requireSecondFactor, principal.kind === 'client');
  // Factors of members who sign in through a provider are their firm's decision.
  const factorMissing = required && provider === null && !withSecondFactor;
  return {
    sessionId: session.id,
    account,
    actingUserId,
    provider,
    principal,
    withSecondFactor,
    factorMissing,
  };
}

/**
 * Like `readSignedIn`, and counts the request: for its account, or as one without a session if it is refused. Throws
 * Refusal `rate_limit_exceeded`, too.
 */
export async function admitSignedIn(portal: Portal, exchange: Exchange): Promise<SignedIn> {
  const signedIn = await readSignedIn(portal, exchange).catch(async (error: unknown) => {
    // Our own failures do not count against the caller.
    if (error instanceof Refusal && error.status < 500) await limitReads(exchange, portal.signIn);
    throw error;
  });
  await limitOperations(exchange, signedIn.account.id);
  return signedIn;
}

/** Like `admitSignedIn`, for anything but the account itself. Throws `second_factor_required` if a factor is missing. */
export async function admitOperation(portal: Portal, exchange: Exchange): Promise<Principal> {
  return principalOf(await admitSignedIn(portal, exchange));
}

function principalOf({ factorMissing, principal }: SignedIn): Principal {
  if (factorMissing) throw new Refusal('second_factor_required');
  return principal;
}

/**
 * Passes on the pieces of a download while its session is admitted and acts as the same user in the same role. Throws
 * Refusal otherwise, which breaks the download off.
 */
export async function* whileAdmitted(
  portal: Portal,
  exchange: Exchange,
  principal: Principal,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const now = principalOf(await readSignedIn(portal, exchange));
    if (userAndRole(now) !== userAndRole(principal)) throw new Refusal('not_signed_in');
    yield piece;
  }
}

const userAndRole = (principal: Principal): string =>
  'userId' in principal ? `${principal.userId} ${'role' in principal ? principal.role : principal.kind}` : '';

/**
 * Like `admitSignedIn`, for changes of factors. A provider speaks only for a membership, so it does not suffice; nor
 * does a password alone if the account has a second factor. Throws Refusal `forbidden` or `second_factor_required`.
 */
export async function admitForFactors(portal: Portal, exchange: Exchange): Promise<SignedIn> {
  const who = await admitOwner(portal, exchange);
  if (!who.withSecondFactor && (await requiresFactor(portal, who.account)))
    refuse('second_factor_required', 'Sign in with your second factor to change it.');
  return who;
}

/** Like `admitSignedIn`, for actions reserved to the person. Throws Refusal `forbidden` if a provider vouched for them. */
export async function admitOwner(portal: Portal, exchange: Exchange): Promise<SignedIn> {
  const who = await admitSignedIn(portal, exchange);
  if (who.provider !== null) refuse('forbidden', 'Sign in with your password or a passkey to change this.');
  return who;
}

/** Whether the account has a second factor that sign-in or one of its identities requires. */
async function requiresFactor(
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

/** Marks the device as one on which this person has signed in. */
export function rememberDevice({ signIn }: Portal, { reply }: Exchange, person: KnownPerson): void {
  reply.header('Set-Cookie', signIn.devices.cookie(person));
}

/** The same with the account's present epoch, after a link was used or the session's epoch was changed. */
export async function rememberDeviceOf(portal: Portal, exchange: Exchange, accountId: string): Promise<void> {
  const account = await portal.people.account(accountId);
  if (account !== null) rememberDevice(portal, exchange, account);
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
