// Session: what is done about refusals that are no page's own: whoever was signed in is not, or the program is an old one.
import type { QueryClient } from '@tanstack/react-query';
import { Viewer } from '../generated/operations.ts';
import { keyOf } from '../graphql/hooks.ts';
import type { PortalErrorCode } from '../graphql/portico-error.ts';
import { loadAgain } from './renewal.ts';
import { toOther, toSignIn } from './return-path.ts';

/** What is required is judged with who is signed in. */
function lookWhoIsHere(client: QueryClient): void {
  // Who was refused when asking that is told by the page already.
  if (client.getQueryData(keyOf(Viewer, {})) !== undefined) void client.resetQueries({ queryKey: [Viewer.name] });
}

const ANSWERS: Partial<Record<PortalErrorCode, (client: QueryClient) => void>> = {
  not_signed_in: toSignIn,
  acting_as_another: toOther,
  unknown_operation: loadAgain,
  second_factor_required: lookWhoIsHere,
};

export function answerRefusal(client: QueryClient, code: PortalErrorCode): void {
  ANSWERS[code]?.(client);
}
