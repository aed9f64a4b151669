// Portal: state of sign-ins in progress, of which the sign-in library knows nothing: the account's session epoch at
// their start, without which a session stored after all were ended would be valid; and the codes of second factors,
// each of which opens one session.
import { APIError } from 'better-auth';
import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { symmetricDecrypt } from 'better-auth/crypto';
import type { People } from '#gateway/consent/people.ts';
import { meaningOf } from './auth-paths.ts';

const usedBefore = () => new APIError('BAD_REQUEST', { code: 'INVALID_CODE', message: 'The code was used before.' });
const unreadable = () =>
  new APIError('CONFLICT', { code: 'FACTOR_UNREADABLE', message: 'Another secret encrypts it.' });
const sessionEnded = () => new APIError('UNAUTHORIZED', { code: 'UNAUTHORIZED', message: 'The session has ended.' });
const isOnAlready = () => new APIError('BAD_REQUEST', { code: 'TOTP_ALREADY_ENABLED', message: 'It is on.' });

const textIn = (body: unknown, member: string): string =>
  String((body as Record<string, unknown> | undefined)?.[member]);

/** A row of the library's verifications, with our column. */
interface Pending {
  value: string;
  sessionEpoch?: number | null;
}

interface Begun {
  epoch: number;
  /** The session that turns the second factor on; null for a sign-in. */
  session: { id: string; accountId: string } | null;
}

const begun = new WeakMap<Request, Begun>();

type RequestContext = { request?: Request | undefined } | null | undefined;

const begunIn = (context: RequestContext): Begun | null => (context?.request && begun.get(context.request)) ?? null;

/**
 * The session epoch at the start of this request's sign-in, or of the session that turns the second factor on; null if
 * it is neither, or a sign-in without an earlier step.
 */
export const epochOf = (context: RequestContext): number | null => begunIn(context)?.epoch ?? null;

type SecretKey = Parameters<typeof symmetricDecrypt>[0]['key'];

/**
 * Throws where the account's second factor was set up under another PORTAL_SECRET: the library would fail. It is not
 * ignored either, because the password alone would then sign in.
 */
async function requireReadable(factor: { secret: string } | null, key: SecretKey): Promise<void> {
  if (factor === null) return;
  await symmetricDecrypt({ key, data: factor.secret }).catch(() => {
    throw unreadable();
  });
}

/**
 * Notes the epoch before anything is verified. Refuses a used code before it consumes the pending sign-in, so that the
 * next code can follow. Also refuses codes within a session, for which the library would count no failures, unless they
 * set the factor up.
 */
export const beginSignIn = (people: Pick<People, 'codeWasUsed' | 'sessionEpoch'>) =>
  createAuthMiddleware(async (context) => {
    const { path, request, body } = context;
    const begin = (epoch: number | null | undefined, session: Begun['session'] = null) => {
      if (request !== undefined && typeof epoch === 'number') begun.set(request, { epoch, session });
    };
    const { way } = meaningOf(path);
    if (way === 'password') begin(await people.sessionEpoch(textIn(body, 'email')));
    if (way !== 'code' && way !== 'recovery_code') return;
    const current = await getSessionFromCtx(context);
    if (current !== null) {
      const { user, session } = current;
      if ((user as { twoFactorEnabled?: boolean }).twoFactorEnabled === true) throw isOnAlready();
      begin((session as { sessionEpoch?: number | null }).sessionEpoch, { id: session.id, accountId: user.id });
      return;
    }
    const { adapter, createAuthCookie, internalAdapter, secret, secretConfig } = context.context;
    const signIn = await context.getSignedCookie(createAuthCookie('two_factor').name, secret);
    const pending: Pending | null = signIn ? await internalAdapter.findVerificationValue(signIn) : null;
    if (pending === null) return;
    begin(pending.sessionEpoch);
    const where = [{ field: 'userId', value: pending.value }];
    await requireReadable(await adapter.findOne<{ secret: string }>({ model: 'twoFactor', where }), secretConfig);
    if (way === 'code' && (await people.codeWasUsed(pending.value, textIn(body, 'code')))) throw usedBefore();
  });

/**
 * Before the second factor is turned on: ends the session that does so, which the library then replaces with a new one.
 * Throws if it has ended meanwhile: the new one would succeed a session that its person had ended. Returns the session's
 * epoch; null if no request began it.
 */
export async function endSessionOfFactor(
  people: Pick<People, 'endSessions'>,
  context: RequestContext,
): Promise<number | null> {
  const { epoch = null, session = null } = begunIn(context) ?? {};
  if (session === null) return epoch;
  const ended = await people.endSessions({ accountId: session.accountId, provider: null }, session.id);
  if (ended === 0) throw sessionEnded();
  return epoch;
}

/**
 * Uses the code with which a session begins, if any. Of concurrent requests with one code, only one succeeds; the
 * others throw.
 */
export async function useCodeOfSession(
  people: Pick<People, 'useCode'>,
  accountId: string,
  context: { path?: string; body?: unknown } | null,
): Promise<void> {
  const byCode = meaningOf(context?.path).way === 'code';
  if (byCode && !(await people.useCode(accountId, textIn(context?.body, 'code')))) throw usedBefore();
}
