// Session: what is done about refusals that are no page's own: whoever was signed in is not, or the program is an old one.
import type { QueryClient } from '@tanstack/react-query';
import type { PortalErrorCode } from '../graphql/portico-error.ts';
import { loadAgain } from './renewal.ts';
import { toOther, toSignIn } from './return-path.ts';

const ANSWERS: Partial<Record<PortalErrorCode, (client: QueryClient) => void>> = {
  not_signed_in: toSignIn,
  acting_as_another: toOther,
  unknown_operation: loadAgain,
};

export function answerRefusal(client: QueryClient, code: PortalErrorCode): void {
  ANSWERS[code]?.(client);
}
