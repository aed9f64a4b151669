// Portal: the session of a request: who is signed in, and as whom they act.
import { Refusal } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
import type { Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { betterAuthHeaders } from './better-auth-bridge.ts';

/** For whom the page was read that sends the request. */
const USER_HEADER = 'x-portico-user';

export interface SignedIn {
  sessionId: string;
  account: { id: string; email: string; name: string; secondFactor: boolean };
  actingUserId: string;
  /** Null: a password was given. */
  provider: string | null;
  principal: Principal;
}

/**
 * Reads the session and whom it acts as, afresh: what was revoked, or taken from the user, has no effect any more.
 * A session that is due to be prolonged is. Throws Refusal `not_signed_in`, or `acting_as_another` where the request
 * is meant for another user: two tabs have one session, and one of them may have gone on as somebody else.
 */
export async function readSignedIn({ people, signIn, origin }: Portal, exchange: Exchange): Promise<SignedIn> {
  const library = await signIn.betterAuth();
  const { headers: answered, response } = await library.api.getSession({
    headers: betterAuthHeaders(exchange.request, origin),
    returnHeaders: true,
  });
  exchange.reply.header('Set-Cookie', answered.getSetCookie());
  if (response === null) throw new Refusal('not_signed_in');
  const { session, user } = response;
  const { provider = null, actingUserId = null } = session;
  const who = { accountId: user.id, userId: actingUserId ?? '' };
  const principal = await people.admit(who, signIn.identityFilter(provider));
  if (principal === null) throw new Refusal('not_signed_in');
  const meant = exchange.request.headers[USER_HEADER];
  if (meant !== undefined && meant !== who.userId) throw new Refusal('acting_as_another');
  const { id, email, name } = user;
  const account = { id, email, name, secondFactor: user.twoFactorEnabled === true };
  return { sessionId: session.id, account, actingUserId: who.userId, provider, principal };
}
