// Portal: the identities that a sign-in method opens.
import type { IdentityProvider } from '#core/identity-providers.ts';
import type { IdentityFilter } from '#gateway/consent/people.ts';

/**
 * A provider opens its firm's members. A password (`null`) opens all identities except those at firms that require
 * their own provider.
 */
export function identityFilter(providers: readonly IdentityProvider[], provider: string | null): IdentityFilter {
  const closedFirms = providers.filter(({ only }) => only).map(({ firmId }) => firmId);
  // A provider that is no longer configured opens nothing.
  const firmId = provider === null ? null : (providers.find(({ id }) => id === provider)?.firmId ?? '');
  return { firmId, closedFirms };
}
