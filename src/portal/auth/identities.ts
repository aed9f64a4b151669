// Portal: the identities that a sign-in method opens, and the one with which a session begins.
import { APIError } from 'better-auth';
import type { IdentityProvider } from '#core/identity-providers.ts';
import type { People } from '#gateway/consent/people.ts';
import { meaningOf } from './auth-paths.ts';
import { epochOf } from './begun-sign-ins.ts';
import { identityFilter } from './identity-filter.ts';
import type { KnownDevices, KnownPerson } from './known-devices.ts';

const MAX_USER_AGENT = 300;

interface Known {
  people: People;
  providers: readonly IdentityProvider[];
  devices: KnownDevices;
}

interface Vouched {
  method: string;
  oauth?: { providerId: string } | undefined;
}

/** Whether a provider may sign in this person: only members of its own firm, with an address that it has verified. */
export async function judgeMember(
  { people, providers }: Pick<Known, 'people' | 'providers'>,
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
  withSecondFactor?: boolean | null;
  sessionEpoch?: number | null;
}

type CookieAttributes = ReturnType<KnownDevices['parts']>['attributes'];

/** The parts of the library's request context that are used. */
interface Call {
  path?: string;
  request?: Request | undefined;
  params?: unknown;
  headers?: Headers | undefined;
  setCookie?: (name: string, value: string, attributes: CookieAttributes) => unknown;
}

/** The identity of a new session, and whether its device is new. Throws if the sign-in method opens no identity. */
export async function beginSession(
  { people, providers, devices }: Known,
  idleSeconds: number,
  session: Beginning & Record<string, unknown>,
  context: Call | null,
) {
  const called = context?.path === '/callback/:id' ? ((context.params as { id?: string }).id ?? '') : null;
  // A session that replaces another, as when a second factor is set up, inherits its provider and identity.
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
  const { way, withSecondFactor: decided } = meaningOf(context?.path);
  // A session before the second factor is ended by the library at once.
  const waits = way === 'password' && account?.secondFactor === true;
  const newDevice = !waits && account !== null && isNewDevice(devices, account, called, context);
  const withSecondFactor = decided ?? session.withSecondFactor === true;
  const sessionEpoch = session.sessionEpoch ?? epochOf(context);
  const ours = { actingUserId, provider, userAgent, expiresAt, newDevice, withSecondFactor, sessionEpoch };
  return { data: { ...session, ...ours } };
}

/**
 * Whether this is the person's first sign-in on the device. Devices are known separately for each provider: a firm with
 * its own provider must not be able to mark a device as known for password attempts. For a password, the route marks
 * the device (auth-routes.ts).
 */
function isNewDevice(
  devices: KnownDevices,
  account: KnownPerson,
  provider: string | null,
  context: Call | null,
): boolean {
  const { sessionEpoch } = account;
  const email = provider === null ? account.email : `${provider} ${account.email}`;
  if (devices.epochOf(context?.headers?.get('cookie') ?? undefined, email) === sessionEpoch) return false;
  if (provider !== null) {
    const { name, value, attributes } = devices.parts({ email, sessionEpoch });
    context?.setCookie?.(name, value, attributes);
  }
  return true;
}
