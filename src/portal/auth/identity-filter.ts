// Portal: which of a person's identities a way of signing in opens.
import type { IdentityProvider } from '#core/identity-providers.ts';
import type { IdentityFilter } from '#gateway/consent/people.ts';

/** A provider opens those of its firm's members; a password (`null`) those of every firm that has no provider of its own. */
export function identityFilter(providers: readonly IdentityProvider[], provider: string | null): IdentityFilter {
  const closedFirms = providers.filter(({ only }) => only).map(({ firmId }) => firmId);
  // A provider that is configured no more opens nothing.
  const firmId = provider === null ? null : (providers.find(({ id }) => id === provider)?.firmId ?? '');
  return { firmId, closedFirms };
}
