// Portal: assembles its parts from the configuration and the gateway.

import type { IdentityProvider } from '#core/identity-providers.ts';
import type { SecondFactorRule } from '#core/second-factor-rule.ts';
import { linkUrl } from './auth/links.ts';
import { createSignIn, type SignIn } from './auth/sign-in.ts';
import type { SignInParts } from './auth/sign-in-parts.ts';
import { type Mailer, openMailer, withoutReply } from './mail.ts';
import { resetMail } from './mails/account-mails.ts';
import type { Mail } from './mails/letter.ts';
import { startNoticing } from './notices/noticing.ts';
import { type Sender, startSender } from './notices/sender.ts';
import { createUnsubscribeLinks } from './notices/unsubscribe-links.ts';
import type { Portal } from './portal.ts';
import { portalPolicy } from './respond.ts';

interface PortalSettings {
  port: number;
  portalUrl: string | undefined;
  portalSecret: string | undefined;
  identityProviders: readonly IdentityProvider[];
  requireSecondFactor: SecondFactorRule;
  mail: { smtpUrl: string; from: string } | undefined;
}

/** The origin of links to the portal. */
export const portalOrigin = ({ portalUrl, port }: Pick<PortalSettings, 'portalUrl' | 'port'>): string =>
  portalUrl ?? `http://localhost:${port}`;

interface OpenSignIn {
  signIn: SignIn;
  mailer: Mailer | null;
  /** Key for signatures of links and cookies. */
  secret: string;
  /** Waits for background work. */
  close(): Promise<void>;
}

/** `storedSecret`, from the database, is used if the configuration has none. */
export function openSignIn(
  settings: PortalSettings,
  storedSecret: Buffer,
  { people, events }: Pick<SignInParts, 'people' | 'events'>,
): OpenSignIn {
  const origin = portalOrigin(settings);
  const secret = settings.portalSecret ?? storedSecret.toString('base64url');
  const mailer = settings.mail === undefined ? null : openMailer(settings.mail);
  const signIn = createSignIn({
    people,
    events,
    origin,
    anyOrigin: settings.portalUrl === undefined,
    secret,
    providers: settings.identityProviders,
    sendReset:
      mailer === null
        ? null
        : ({ email, name }, token) =>
            mailer.send(email, resetMail(name, linkUrl(origin, token))).catch((error: unknown) => {
              events.emit('failure', { requestId: null, where: 'mail', error: withoutReply(error) });
            }),
  });
  const close = async () => {
    await signIn.settled();
    mailer?.close();
  };
  return { signIn, mailer, secret, close };
}

export function createPortal(
  settings: PortalSettings,
  parts: Pick<Portal, 'gateway' | 'people' | 'keySet' | 'ledger' | 'personalData' | 'notices'>,
  { signIn, mailer, secret }: OpenSignIn,
): Portal {
  return {
    ...parts,
    signIn,
    links: createUnsubscribeLinks(secret, portalOrigin(settings)),
    policy: portalPolicy(settings.portalUrl?.startsWith('https:') === true),
    origin: settings.portalUrl ?? null,
    providers: settings.identityProviders,
    requireSecondFactor: settings.requireSecondFactor,
    mail: mailer !== null,
  };
}

/** Replaces a mail server, as in the demonstration. */
type PrintMail = (to: string, mail: Mail) => void;

export interface Mailing {
  /** Shows mails if there is no mail server. */
  printMail?: PrintMail | undefined;
  /** Interval between looks at the outbox; absent for a few seconds. */
  mailIntervalMs?: number | undefined;
}

/** Sends mails for notices, and detects notices in calls; null if there is no mail. */
export function startNotifications(
  settings: PortalSettings,
  { gateway: { events }, notices, links }: Portal,
  opened: OpenSignIn,
  { printMail, mailIntervalMs: intervalMs }: Mailing,
): Sender | null {
  const printing = printMail && { send: async (to: string, mail: Mail) => printMail(to, mail) };
  const mailer = opened.mailer ?? printing;
  if (mailer === undefined) return null;
  const noticing = startNoticing(events, notices);
  const postmark = { origin: portalOrigin(settings), unsubscribeUrl: links.url };
  const sender = startSender({ notices, mailer, postmark, events, before: noticing.save, intervalMs });
  return {
    ...sender,
    async close() {
      noticing.close();
      await sender.close();
    },
  };
}
