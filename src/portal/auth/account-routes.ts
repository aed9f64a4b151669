// Portal: a person's own account: its identities, the user it acts as, factors and sessions.
import type { FastifyInstance } from 'fastify';
import { hashPassword } from '#auth/password.ts';
import { Refusal, refuse, refuseParameter } from '#core/errors.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '#core/text-lengths.ts';
import type { Identity, OpenInvitation, Passkey, PortalSession } from '#gateway/consent/people.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import type { Portal } from '../portal.ts';
import { json, respond } from '../respond.ts';
import { AUTH_PATH } from './auth-paths.ts';
import { openLink } from './links.ts';
import { limitAttempts, limitAttemptsAt, limitReads } from './rate-limits.ts';
import { readObject, requireSameOrigin, textOf } from './request-guards.ts';
import {
  admitForFactors,
  admitOwner,
  admitSignedIn,
  readSignedIn,
  rememberDevice,
  rememberDeviceOf,
  type SignedIn,
} from './signed-in.ts';

const MAX_BODY = 4_096;

type Read = (portal: Portal, exchange: Exchange) => Promise<Answer>;
type Write = (portal: Portal, exchange: Exchange, body: Record<string, unknown>) => Promise<Answer>;

const READS: Record<string, Read> = {
  options: readOptions,
  me: async (portal, exchange) => json(await describe(portal, await readSignedIn(portal, exchange))),
  sessions: readSessions,
};

const WRITES: Record<string, Write> = {
  link: readLink,
  invitation: readInvitation,
  join,
  'change-password': changePassword,
  'remove-passkey': takePasskey,
  'act-as': changeIdentity,
  'end-session': endSession,
  'sign-out-everywhere': signOutEverywhere,
};

export function registerAccountRoutes(app: FastifyInstance, portal: Portal): void {
  for (const [name, work] of Object.entries(READS))
    app.get(`${AUTH_PATH}/${name}`, (_request, reply) =>
      respond(portal, reply, `auth/${name}`, async (exchange) => {
        await limitReads(exchange, portal.signIn);
        return work(portal, exchange);
      }),
    );
  for (const [name, work] of Object.entries(WRITES))
    app.post(`${AUTH_PATH}/${name}`, (request, reply) =>
      respond(portal, reply, `auth/${name}`, async (exchange) => {
        requireSameOrigin(request, portal.origin);
        return work(portal, exchange, await readObject(request, MAX_BODY));
      }),
    );
}

/** The options of the sign-in page. */
async function readOptions({ providers, mail }: Portal): Promise<Answer> {
  const offered = providers.map(({ id, label }) => ({ id, label }));
  return json({ providers: offered, mail });
}

const identityJson = ({ userId, name, role, firmId, firmName, environment }: Identity) => ({
  user_id: userId,
  name,
  role,
  firm: firmId === null ? null : { id: firmId, name: firmName },
  environment,
});

async function describe({ people, signIn }: Portal, { account, actingUserId, provider, factorMissing }: SignedIn) {
  // Sign-in data of the account are not for the firm's provider to see.
  const isOwner = provider === null;
  const [identities, stored, passkeys] = await Promise.all([
    people.identities(account.email, signIn.identityFilter(provider)),
    isOwner ? people.account(account.id) : null,
    isOwner ? people.passkeys(account.id) : [],
  ]);
  return {
    email: account.email,
    name: account.name,
    second_factor: isOwner && account.secondFactor,
    second_factor_missing: factorMissing,
    passkeys: passkeys.map(passkeyJson),
    has_password: stored?.hasPassword ?? false,
    provider,
    acting_as: actingUserId,
    identities: identities.map(identityJson),
  };
}

const passkeyJson = ({ id, name, createdAt, lastUsedAt, synced }: Passkey) => {
  return { id, name, synced, created_at: createdAt, last_used_at: lastUsedAt };
};

const ownerOf = ({ account, provider }: SignedIn) => ({ accountId: account.id, provider });

async function readSessions(portal: Portal, exchange: Exchange): Promise<Answer> {
  const who = await readSignedIn(portal, exchange);
  const sessionJson = ({ id, createdAt, lastSeenAt, ipAddress, userAgent, provider }: PortalSession) => ({
    ...{ id, current: id === who.sessionId, created_at: createdAt, last_seen_at: lastSeenAt },
    ...{ ip_address: ipAddress, user_agent: userAgent, provider },
  });
  return json({ sessions: (await portal.people.sessions(ownerOf(who))).map(sessionJson) });
}

/** Reads an invitation or reset link without using it. */
async function readLink(portal: Portal, exchange: Exchange, body: Record<string, unknown>): Promise<Answer> {
  await limitAttempts(exchange, portal.signIn);
  const token = textOf(body, 'token');
  const account = await openLink(portal.signIn, portal.people, token);
  if (account === null) throw new Refusal('invalid_link');
  const { email, name, hasPassword } = account;
  return json({ purpose: hasPassword ? 'reset' : 'invitation', email, name });
}

/** How a person with this invitation signs in: with an existing or a new password, or at the firm's provider. */
function wayOf(portal: Portal, { firmId, hasPassword }: OpenInvitation) {
  const provider = portal.providers.find((one) => one.only && one.firmId === firmId);
  if (provider !== undefined) return { way: 'provider', provider: provider.label } as const;
  return { way: hasPassword ? 'password' : 'new_password', provider: null } as const;
}

async function requireInvitation(portal: Portal, exchange: Exchange, token: string): Promise<OpenInvitation> {
  await limitAttempts(exchange, portal.signIn);
  const invitation = await portal.people.openInvitation(token);
  if (invitation === null) throw new Refusal('invalid_link');
  return invitation;
}

/** Reads an invitation to a firm before it is accepted. */
async function readInvitation(portal: Portal, exchange: Exchange, body: Record<string, unknown>): Promise<Answer> {
  const invitation = await requireInvitation(portal, exchange, textOf(body, 'token'));
  const { firmName, inviterName, email, name, role } = invitation;
  return json({ firm: firmName, inviter: inviterName, email, name, role, ...wayOf(portal, invitation) });
}

/** A person with the link is known to read the address's mail, as with every link. */
async function join(portal: Portal, exchange: Exchange, body: Record<string, unknown>): Promise<Answer> {
  const token = textOf(body, 'token');
  const invitation = await requireInvitation(portal, exchange, token);
  const name = textOf(body, 'name').trim();
  const { way } = wayOf(portal, invitation);
  const passwordHash = way === 'new_password' ? await hashPassword(newPasswordOf(body, 'password')) : null;
  await portal.people.joinFirm({ token, name, passwordHash });
  const { email } = invitation;
  rememberDevice(portal, exchange, { email, sessionEpoch: (await portal.people.sessionEpoch(email)) ?? 0 });
  return json({ email: invitation.email, way });
}

function newPasswordOf(body: Record<string, unknown>, param: string): string {
  const password = textOf(body, param);
  if (password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD) return password;
  const message = `A password must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`;
  refuseParameter(param, message);
}

/** Ends all other sessions, sign-ins that wait for a second factor, and links. */
async function changePassword(portal: Portal, exchange: Exchange, body: Record<string, unknown>): Promise<Answer> {
  const who = await admitOwner(portal, exchange);
  await limitAttemptsAt(exchange, who.account.id);
  const given = textOf(body, 'currentPassword');
  const passwordHash = await hashPassword(newPasswordOf(body, 'newPassword'));
  await portal.people.changePassword(ownOf(who), given, passwordHash);
  await rememberDeviceOf(portal, exchange, who.account.id);
  return json({});
}

const ownOf = ({ account, sessionId }: SignedIn) => ({ accountId: account.id, sessionId });

/** Signs out all other sessions, as a new password does: another person with access to the device may be signed in. */
async function takePasskey(portal: Portal, exchange: Exchange, body: Record<string, unknown>): Promise<Answer> {
  const who = await admitForFactors(portal, exchange);
  await limitAttemptsAt(exchange, who.account.id);
  if (!(await portal.people.checkPassword(who.account.id, textOf(body, 'password'))))
    throw new Refusal('wrong_password');
  await portal.people.removePasskey(ownOf(who), textOf(body, 'id'));
  await rememberDeviceOf(portal, exchange, who.account.id);
  return json(await describe(portal, who));
}

async function changeIdentity(portal: Portal, exchange: Exchange, body: Record<string, unknown>): Promise<Answer> {
  const who = await admitSignedIn(portal, exchange);
  const userId = textOf(body, 'user_id');
  const identities = await portal.people.identities(who.account.email, portal.signIn.identityFilter(who.provider));
  if (!identities.some((one) => one.userId === userId))
    refuse('resource_not_found', 'You have no such account to switch to.');
  await portal.people.actAs(who.sessionId, userId);
  return json(await describe(portal, { ...who, actingUserId: userId }));
}

async function endSession(portal: Portal, exchange: Exchange, body: Record<string, unknown>): Promise<Answer> {
  const who = await admitSignedIn(portal, exchange);
  const id = textOf(body, 'id');
  const ended = await portal.people.endSessions(ownerOf(who), id);
  if (ended === 0) refuse('resource_not_found', 'There is no such session.');
  return json({ ended });
}

/** Includes this session. Links that were sent are voided as well if the person signed in without a provider. */
async function signOutEverywhere(portal: Portal, exchange: Exchange): Promise<Answer> {
  const who = await admitSignedIn(portal, exchange);
  const { id } = who.account;
  if (who.provider !== null) return json({ ended: await portal.people.endSessions(ownerOf(who), null) });
  const ended = await portal.people.endAllSessions(id);
  await rememberDeviceOf(portal, exchange, id);
  return json({ ended });
}
