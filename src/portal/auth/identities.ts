// Portal: which of a person's identities a way of signing in opens, and as which of them a session begins.
import { APIError } from 'better-auth';
import type { IdentityProvider } from '#core/identity-providers.ts';
import type { People } from '#gateway/consent/people.ts';
import { identityFilter } from './identity-filter.ts';

const MAX_USER_AGENT = 300;

interface Known {
  people: People;
  providers: readonly IdentityProvider[];
}

interface Vouched {
  method: string;
  oauth?: { providerId: string } | undefined;
}

/** Whether a provider's word lets this person in: only for members of its own firm, whose address it has verified. */
export async function judgeMember(
  { people, providers }: Known,
  user: { email?: string | undefined; emailVerified?: boolean | undefined },
  { method, oauth }: Vouched,
): Promise<{ error: string; errorDescription: string } | undefined> {
  if (method !== 'oauth') return { error: 'sign_up_disabled', errorDescription: 'Accounts come by invitation.' };
  const filter = identityFilter(providers, oauth?.providerId ?? '');
  const known =
    user.email === undefined || user.emailVerified !== true
      ? []
      : await people.identities(user.email.toLowerCase(), filter);
  if (known.length > 0) return undefined;
  return { error: 'not_a_member', errorDescription: 'This provider speaks for no member of its firm here.' };
}

interface Beginning {
  userId: string;
  userAgent?: string | null | undefined;
  expiresAt: Date;
  actingUserId?: string | null;
  provider?: string | null;
}

/** Whom a new session acts as. Throws where the way of signing in opens no identity. */
export async function beginSession(
  { people, providers }: Known,
  idleSeconds: number,
  session: Beginning & Record<string, unknown>,
  context: { path?: string; params?: unknown } | null,
) {
  const called = context?.path === '/callback/:id' ? ((context.params as { id?: string }).id ?? '') : null;
  // A session that takes another's place, as when a second factor is set up, goes on as that one did.
  const provider = called ?? session.provider ?? null;
  const account = await people.account(session.userId);
  const identities = await people.identities(account?.email ?? '', identityFilter(providers, provider));
  const ids = identities.map(({ userId }) => userId);
  const wanted = session.actingUserId ?? (await people.lastActedAs(session.userId, ids));
  const actingUserId = ids.find((id) => id === wanted) ?? ids[0];
  if (actingUserId === undefined)
    throw new APIError('FORBIDDEN', { code: 'NO_IDENTITY', message: 'There is nobody to act as.' });
  const userAgent = session.userAgent?.slice(0, MAX_USER_AGENT) ?? null;
  const latest = Date.now() + idleSeconds * 1_000;
  const expiresAt = new Date(Math.min(session.expiresAt.getTime(), latest));
  return { data: { ...session, actingUserId, provider, userAgent, expiresAt } };
}
