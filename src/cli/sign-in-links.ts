// Command line: links to set a password for the portal: mailed, or printed if there is no mail server.
import { createEvents } from '#core/events.ts';
import type { Database } from '#database/database.ts';
import { createPeople } from '#gateway/consent/people.ts';
import { type Link, makeLink } from '#portal/auth/links.ts';
import { invitationMail, resetMail } from '#portal/mails/account-mails.ts';
import { openSignIn, portalOrigin } from '#portal/open-portal.ts';
import { accountOfUser, type PortalAccount, usersCalled } from '#repositories/accounts/people.ts';
import { readPortalSecret } from '#repositories/reference.ts';
import type { Config } from '#src/config.ts';
import { asFailure, CommandFailure, type CommandHost, notFound, print } from './host.ts';
import { withDatabase } from './session.ts';
import { facts } from './table.ts';

type Host = Pick<CommandHost, 'config' | 'json'>;

export function inviteUser(host: Host, who: string): Promise<void> {
  return give(host, who, (account) => {
    if (account.hasPassword) throw new CommandFailure(`${account.email} has a password; use: user reset ${who}`);
  });
}

export function resetUser(host: Host, who: string): Promise<void> {
  return give(host, who, (account) => {
    if (!account.hasPassword) throw new CommandFailure(`${account.email} has no password yet; use: user invite ${who}`);
  });
}

async function give({ config, json }: Host, who: string, check: (account: PortalAccount) => void): Promise<void> {
  const settings = config();
  await withDatabase(settings, async (database) => {
    const account = await findAccount(database, who);
    check(account);
    const { link, sent } = await deliver(settings, database, account);
    const purpose = account.hasPassword ? 'reset' : 'invitation';
    const shown = sent ? {} : { url: link.url };
    const headline = sent
      ? `Sent ${account.email} a link (${purpose}).`
      : `Mail is not configured (SMTP_URL): give ${account.email} this link (${purpose}). It works once.`;
    print(
      json(),
      { email: account.email, purpose, sent, expires_at: link.expiresAt, ...shown },
      facts(headline, { ...shown, expires: link.expiresAt }),
    );
  });
}

/** The account of the user with this id or e-mail address, created if necessary. */
async function findAccount(database: Database, who: string): Promise<PortalAccount> {
  const [id] = await usersCalled(database, who);
  const account = id === undefined ? null : await accountOfUser(database, id);
  if (account === null) throw notFound(`user ${who}`);
  return account;
}

async function deliver(
  settings: Config,
  database: Database,
  account: PortalAccount,
): Promise<{ link: Link; sent: boolean }> {
  const people = createPeople(database);
  // Providers are not needed here.
  const offline = { ...settings, identityProviders: [] };
  const opened = openSignIn(offline, await readPortalSecret(database), { people, events: createEvents() });
  try {
    await requirePasswordIdentity(settings, people, account);
    const link = await makeLink(opened.signIn, people, account, portalOrigin(settings));
    const mail = account.hasPassword ? resetMail(account.name, link.url) : invitationMail(account.name, link.url);
    await opened.mailer?.send(account.email, mail).catch(asFailure(`the mail to ${account.email} could not be sent`));
    return { link, sent: opened.mailer !== null };
  } finally {
    await opened.close();
  }
}

/** Members of a firm that only signs in through its own provider cannot use a password. */
async function requirePasswordIdentity(
  { identityProviders }: Config,
  people: ReturnType<typeof createPeople>,
  { email }: PortalAccount,
): Promise<void> {
  const closed = identityProviders.filter(({ only }) => only);
  const filter = { firmId: null, closedFirms: closed.map(({ firmId }) => firmId) };
  if ((await people.identities(email, filter)).length > 0) return;
  const labels = closed.map(({ label }) => label).join(', ');
  throw new CommandFailure(`${email} signs in through ${labels} only, and needs no password`);
}
