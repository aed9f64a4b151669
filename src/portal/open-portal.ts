// Portal: puts its parts together, from the configuration and what the gateway hands it.

import type { IdentityProvider } from '#core/identity-providers.ts';
import { linkUrl } from './auth/links.ts';
import { createSignIn, type SignIn } from './auth/sign-in.ts';
import type { SignInParts } from './auth/sign-in-parts.ts';
import { type Mailer, openMailer, resetMail } from './mail.ts';
import type { Portal } from './portal.ts';
import { portalPolicy } from './respond.ts';

export interface PortalSettings {
  port: number;
  portalUrl: string | undefined;
  portalSecret: string | undefined;
  identityProviders: readonly IdentityProvider[];
  mail: { smtpUrl: string; from: string } | undefined;
}

/** The origin that links lead to. */
export const portalOrigin = ({ portalUrl, port }: Pick<PortalSettings, 'portalUrl' | 'port'>): string =>
  portalUrl ?? `http://localhost:${port}`;

export interface OpenSignIn {
  signIn: SignIn;
  mailer: Mailer | null;
  /** Waits for what is done in the background. */
  close(): Promise<void>;
}

/** `kept`: the secret that the database keeps, for where the configuration has none. */
export function openSignIn(
  settings: PortalSettings,
  kept: Buffer,
  { people, events }: Pick<SignInParts, 'people' | 'events'>,
): OpenSignIn {
  const origin = portalOrigin(settings);
  const mailer = settings.mail === undefined ? null : openMailer(settings.mail);
  const signIn = createSignIn({
    people,
    events,
    origin,
    anyOrigin: settings.portalUrl === undefined,
    secret: settings.portalSecret ?? kept.toString('base64url'),
    providers: settings.identityProviders,
    sendReset:
      mailer === null
        ? null
        : ({ email, name }, token) =>
            mailer.send(email, resetMail(name, linkUrl(origin, token))).catch((error: unknown) => {
              events.emit('failure', { requestId: null, where: 'mail', error });
            }),
  });
  const close = async () => {
    await signIn.settled();
    mailer?.close();
  };
  return { signIn, mailer, close };
}

export function createPortal(
  settings: PortalSettings,
  parts: Pick<Portal, 'gateway' | 'people' | 'keySet'>,
  { signIn, mailer }: OpenSignIn,
): Portal {
  return {
    ...parts,
    signIn,
    policy: portalPolicy(settings.portalUrl?.startsWith('https:') === true),
    origin: settings.portalUrl ?? null,
    providers: settings.identityProviders,
    mail: mailer !== null,
  };
}
