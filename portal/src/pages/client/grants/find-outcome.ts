// Client: looks up the result of an action on a grant whose response was lost.
import { ClientGrantDetail, type ClientGrantDetailQuery } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { changesBetween, type Draft, draftOf, isUnchanged } from '../terms/draft.ts';

type Outcome = (variables: { id: string }) => Promise<ClientGrantDetailQuery['body'] | null>;

/** For actions that give a grant this status. */
export const hasStatus = (status: 'declined' | 'revoked'): Outcome => findIf((grant) => grant.status === status);

/** For actions after which a grant is active with these terms. */
export const hasTerms = (draft: Draft): Outcome =>
  findIf((grant) => grant.status === 'active' && isUnchanged(changesBetween(draftOf(grant), draft)));

export function findIf(isDone: (grant: ClientGrantDetailQuery['body']) => boolean): Outcome {
  return async ({ id }) => {
    const grant = await call(ClientGrantDetail, { id });
    return isDone(grant) ? grant : null;
  };
}
