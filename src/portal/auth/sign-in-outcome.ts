// Portal: reports the outcomes of sign-in attempts as events.
import type { SignInEvent } from '#core/events.ts';
import type { Answer, Exchange } from '#http/exchange.ts';
import { toRefusal } from '#http/refusals.ts';

/** Runs `attempt`, and reports its outcome. */
export async function tellOutcome(
  { gateway }: Exchange,
  way: SignInEvent['way'],
  attempt: (noSignIn: () => void) => Promise<Answer>,
): Promise<Answer> {
  let outcome: SignInEvent['outcome'] = 'failed';
  let isSignIn = true;
  try {
    const answer = await attempt(() => {
      isSignIn = false;
    });
    outcome = outcomeOf(answer);
    return answer;
  } catch (error) {
    const { status } = toRefusal(error);
    outcome = status >= 500 ? 'failed' : status === 429 ? 'limited' : 'refused';
    throw error;
  } finally {
    if (isSignIn) gateway.events.emit('signIn', { way, outcome });
  }
}

/** After a provider, the library redirects to one of two pages. */
function outcomeOf({ body, headers }: Answer): SignInEvent['outcome'] {
  if (headers?.Location?.includes('error=')) return 'refused';
  return typeof body === 'string' && body.includes('"twoFactorRedirect":true') ? 'second_factor' : 'signed_in';
}
