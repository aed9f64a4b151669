// Session: reactions to refusals that concern no single page: the session has changed or ended, or the program is
// outdated.
import type { QueryClient } from '@tanstack/react-query';
import { Viewer } from '../generated/operations.ts';
import { keyOf } from '../graphql/hooks.ts';
import type { PortalErrorCode } from '../graphql/portico-error.ts';
import { storeDrafts } from './drafts.ts';
import { isIrreplaceable } from './leaving.ts';
import { reloadOnce } from './renewal.ts';
import { notifyOnce, toOther, toSignIn } from './return-path.ts';

/** Reads the viewer again, which tells whether a second factor is required. */
function resetViewer(client: QueryClient): void {
  // A refusal of that read is already handled by the page.
  if (client.getQueryData(keyOf(Viewer, {})) === undefined) return;
  if (isIrreplaceable()) {
    notifyOnce('A second factor is required now. Save what is shown here first; you set it up when you continue.');
    return;
  }
  storeDrafts();
  void client.resetQueries({ queryKey: [Viewer.name] });
}

const ANSWERS: Partial<Record<PortalErrorCode, (client: QueryClient) => void>> = {
  not_signed_in: toSignIn,
  acting_as_another: toOther,
  unknown_operation: reloadOnce,
  second_factor_required: resetViewer,
};

export function answerRefusal(client: QueryClient, code: PortalErrorCode): void {
  ANSWERS[code]?.(client);
}
