// Portal: sign-in: wraps the library, which is loaded at its first use.
import { discoveryUrl, type IdentityProvider } from '#core/identity-providers.ts';
import { lazy } from '#core/lazy.ts';
import { responseText } from '#core/response-text.ts';
import type { BetterAuth } from './better-auth.ts';
import { identityFilter } from './identity-filter.ts';
import { createKnownDevices } from './known-devices.ts';
import type { SignInParts } from './sign-in-parts.ts';

const DISCOVERY_MS = 5_000;
/** Discovery documents and key sets have some thousand characters. */
const MAX_DOCUMENT = 1_000_000;
/** Changed endpoints of a provider are noticed within this time. */
const DISCOVERED_MS = 600_000;

export type SignIn = ReturnType<typeof createSignIn>;

/**
 * Checks the provider's discovery document and key set, since the library has no timeout and no limit of size for them,
 * and accepts any issuer. Throws if the provider does not respond in time, sends too much, or names another issuer
 * (OpenID Connect Discovery 4.3).
 */
async function requireUsable(provider: IdentityProvider): Promise<void> {
  const signal = AbortSignal.timeout(DISCOVERY_MS);
  const read = async (url: string) => {
    const response = await fetch(url, { signal, redirect: 'error' });
    return responseText(response, MAX_DOCUMENT).catch((error: Error) => {
      throw new Error(`the provider ${provider.id} cannot be read at ${url}: ${error.message}`);
    });
  };
  const { issuer, jwks_uri: keys } = JSON.parse(await read(discoveryUrl(provider)));
  if (String(issuer).replace(/\/$/, '') !== provider.issuer)
    throw new Error(`the provider ${provider.id} names another issuer than its own`);
  if (typeof keys === 'string') await read(keys);
}

export function createSignIn(settings: Omit<SignInParts, 'devices'>) {
  const devices = createKnownDevices(settings.secret, settings.origin.startsWith('https:'));
  const parts: SignInParts = { ...settings, devices };
  const background = new Set<Promise<unknown>>();
  const inBackground = (task: Promise<unknown>): void => {
    const kept = task.finally(() => background.delete(kept));
    background.add(kept);
  };
  // Loaded late, because processes that serve partners only would waste its memory.
  const open = async (provider: IdentityProvider | null): Promise<BetterAuth> =>
    (await import('./better-auth.ts')).openBetterAuth(parts, provider, inBackground);
  const instances = new Map<string, { library: BetterAuth; at: number }>();
  return {
    /** better-auth without any provider. */
    betterAuth: lazy(() => open(null)),
    devices,
    identityFilter: (provider: string | null) => identityFilter(parts.providers, provider),
    /** The library for this provider; null if there is no such provider. Fails if the provider does not respond. */
    async through(id: string): Promise<BetterAuth | null> {
      const provider = parts.providers.find((one) => one.id === id);
      if (provider === undefined) return null;
      const known = instances.get(id);
      if (known !== undefined && performance.now() - known.at < DISCOVERED_MS) return known.library;
      await requireUsable(provider);
      const library = await open(provider);
      instances.set(id, { library, at: performance.now() });
      return library;
    },
    /** Makes the next attempt fetch the provider's settings anew. */
    forget: (id: string) => instances.delete(id),
    /** For work that no response waits for; it must not reject. */
    inBackground,
    async settled(): Promise<void> {
      // A task may have started another.
      while (background.size > 0) await Promise.all(background);
    },
  };
}
