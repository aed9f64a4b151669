// Portal: signing in: the library that does it, loaded when the first person comes by.
import { discoveryUrl, type IdentityProvider } from '#core/identity-providers.ts';
import { lazy } from '#core/lazy.ts';
import type { BetterAuth } from './better-auth.ts';
import { identityFilter } from './identity-filter.ts';
import { createKnownDevices } from './known-devices.ts';
import type { SignInParts } from './sign-in-parts.ts';

const DISCOVERY_MS = 5_000;
/** A provider that moves its endpoints is followed within this. */
const DISCOVERED_MS = 600_000;

export type SignIn = ReturnType<typeof createSignIn>;

/**
 * The library would wait for a provider's answer as long as it takes, and goes by whatever issuer it says. Throws where it does not
 * answer in time, or for another (OpenID Connect Discovery 4.3).
 */
async function requireIssuer(provider: IdentityProvider): Promise<void> {
  const signal = AbortSignal.timeout(DISCOVERY_MS);
  const answer = await fetch(discoveryUrl(provider), { signal, redirect: 'error' });
  const { issuer } = (await answer.json()) as { issuer?: unknown };
  if (String(issuer).replace(/\/$/, '') !== provider.issuer)
    throw new Error(`the provider ${provider.id} names another issuer than its own`);
}

export function createSignIn(settings: Omit<SignInParts, 'devices'>) {
  const devices = createKnownDevices(settings.secret, settings.origin.startsWith('https:'));
  const parts: SignInParts = { ...settings, devices };
  const background = new Set<Promise<unknown>>();
  const inBackground = (task: Promise<unknown>): void => {
    const kept = task.finally(() => background.delete(kept));
    background.add(kept);
  };
  // Not before: it takes memory that processes which serve partners alone have no use for.
  const open = async (provider: IdentityProvider | null): Promise<BetterAuth> =>
    (await import('./better-auth.ts')).openBetterAuth(parts, provider, inBackground);
  const instances = new Map<string, { library: BetterAuth; at: number }>();
  return {
    /** better-auth without any provider. */
    betterAuth: lazy(() => open(null)),
    devices,
    identityFilter: (provider: string | null) => identityFilter(parts.providers, provider),
    /** The library with this provider; null where there is none of the name. Fails where the provider does not answer. */
    async through(id: string): Promise<BetterAuth | null> {
      const provider = parts.providers.find((one) => one.id === id);
      if (provider === undefined) return null;
      const known = instances.get(id);
      if (known !== undefined && performance.now() - known.at < DISCOVERED_MS) return known.library;
      await requireIssuer(provider);
      const library = await open(provider);
      instances.set(id, { library, at: performance.now() });
      return library;
    },
    /** The next attempt asks the provider afresh. */
    forget: (id: string) => instances.delete(id),
    /** For what no answer waits for; it must not reject. */
    inBackground,
    async settled(): Promise<void> {
      // One may have begun another.
      while (background.size > 0) await Promise.all(background);
    },
  };
}
