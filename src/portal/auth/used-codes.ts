// Portal: each code of a second factor opens one session. The sign-in library would take it for as long as it is valid.
import { APIError } from 'better-auth';
import { createAuthMiddleware } from 'better-auth/api';
import type { People } from '#gateway/consent/people.ts';

const PATH = '/two-factor/verify-totp';

const usedBefore = () => new APIError('BAD_REQUEST', { code: 'INVALID_CODE', message: 'The code was used before.' });

const codeIn = (body: unknown): string => String((body as { code?: unknown } | undefined)?.code);

/** Refuses a used code before the sign-in that it comes with is spent on it, so that the next code can follow. */
export const refuseUsedCode = (people: Pick<People, 'codeWasUsed'>) =>
  createAuthMiddleware(async (context) => {
    if (context.path !== PATH) return;
    const { createAuthCookie, internalAdapter, secret } = context.context;
    const signIn = await context.getSignedCookie(createAuthCookie('two_factor').name, secret);
    const held = signIn ? await internalAdapter.findVerificationValue(signIn) : null;
    if (held && (await people.codeWasUsed(held.value, codeIn(context.body)))) throw usedBefore();
  });

/** Uses the code that a session begins with, if any. Of several at once, one has it and the others throw. */
export async function useCodeOfSession(
  people: Pick<People, 'useCode'>,
  accountId: string,
  context: { path?: string; body?: unknown } | null,
): Promise<void> {
  if (context?.path === PATH && !(await people.useCode(accountId, codeIn(context.body)))) throw usedBefore();
}
