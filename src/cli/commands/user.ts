// Command line: `portico user …`.
import { type Command, InvalidArgumentError } from 'commander';
import { FIRM_ROLES, type FirmRole } from '#core/firm-roles.ts';
import { currencyDecimals } from '#core/money.ts';
import { INVITATION_DAYS } from '#core/periods.ts';
import { ENVIRONMENTS, type Environment } from '#core/principal.ts';
import type { Database, Sql } from '#database/database.ts';
import { resetFactors } from '#repositories/accounts/factors.ts';
import { findAccountOfUser, type PortalAccount, usersCalled } from '#repositories/accounts/people.ts';
import { endSessionsOf } from '#repositories/accounts/sessions.ts';
import { recordFirmEvent } from '#repositories/firms/firm-events.ts';
import { memberCalled, removeMember, setFirmRole } from '#repositories/firms/members.ts';
import {
  createUser,
  DEFAULT_FIRM_ROLE,
  type NewUser,
  USER_ROLES,
  type User,
  type UserRole,
} from '#repositories/users.ts';
import { registerEraseUser } from '../erasure-commands.ts';
import { CommandFailure, type CommandHost, notFound, print, snakeCased, UsageError } from '../host.ts';
import { operator } from '../operator.ts';
import { choice, idOption, parseEmail, parseName, parseReason } from '../options.ts';
import { withDatabase } from '../session.ts';
import { facts } from '../table.ts';

export function registerUser(host: CommandHost): void {
  const user = host.program.command('user').description('clients, firm members and operations');
  registerCreate(user, host);
  registerInvite(user, host);
  registerFirmRole(user, host);
  registerRemoveMember(user, host);
  registerResetFactor(user, host);
  registerEndSessions(user, host);
  registerReset(user, host);
  registerEraseUser(user, host);
}

interface CreateOptions {
  email: string;
  name: string;
  role: UserRole;
  firm?: string;
  environment?: Environment;
  currency?: string;
  firmRole?: FirmRole;
  id?: string;
}

function registerCreate(user: Command, { config, json }: CommandHost): void {
  user
    .command('create')
    .description('create a client, a firm member, or a user of operations')
    .requiredOption('--email <address>', 'e-mail address', parseEmail)
    .requiredOption('--name <name>', "the person's name", parseName)
    .addOption(choice('--role <role>', 'kind of user', USER_ROLES).makeOptionMandatory())
    .option('--firm <id>', 'firm members: their firm')
    .addOption(
      choice('--firm-role <role>', `firm members: what they may do; ${DEFAULT_FIRM_ROLE} where not given`, FIRM_ROLES),
    )
    .addOption(choice('--environment <environment>', 'clients: where their data belong', ENVIRONMENTS))
    .option('--currency <code>', 'clients: reporting currency, ISO 4217', parseCurrency)
    .addOption(idOption('user'))
    .action((options: CreateOptions) => {
      const wanted = READERS[options.role](options);
      return withDatabase(config(), async (database) => {
        const created = await database.transaction(async (sql) => {
          const user = await createUser(sql, wanted);
          await recordMember(sql, user);
          return user;
        });
        const { id, role, name, email } = created;
        print(json(), snakeCased(created), facts(`Created ${role.replace('_', ' ')} ${id}.`, { name, email }));
      });
    });
}

function registerInvite(user: Command, { config, json }: CommandHost): void {
  user
    .command('invite <id|email>')
    .description(
      `send a link for the first password, or print it if mail is not configured; it is valid for ${INVITATION_DAYS} days`,
    )
    .action(async (who: string) => (await signInLinks()).inviteUser({ config, json }, who));
}

function registerFirmRole(user: Command, { config, json }: CommandHost): void {
  user
    .command('firm-role <id|email>')
    .description('change the role of a firm member, for instance after all administrators have left')
    .addOption(choice('--role <role>', 'what they may do from now on', FIRM_ROLES).makeOptionMandatory())
    .action((who: string, { role }: { role: FirmRole }) =>
      withDatabase(config(), async (database) => {
        const { id, firmId } = await requireMember(database, who);
        const { name, email } = await setFirmRole(database, firmId, id, role, operator());
        print(json(), { id, firm_id: firmId, firm_role: role }, facts(`${name} is ${role} of ${firmId}.`, { email }));
      }),
    );
}

function registerRemoveMember(user: Command, { config, json }: CommandHost): void {
  user
    .command('remove-member <id|email>')
    .description('remove a firm member and end their sessions, with immediate effect')
    .action((who: string) =>
      withDatabase(config(), async (database) => {
        const { id, firmId } = await requireMember(database, who);
        const { name, email } = await removeMember(database, firmId, id, operator());
        print(json(), { id, firm_id: firmId, removed: true }, facts(`${name} is no longer a member.`, { email }));
      }),
    );
}

function registerResetFactor(user: Command, { config, json }: CommandHost): void {
  user
    .command('reset-factor <id|email>')
    .description(
      'remove the authenticator app, recovery codes and passkeys of a user who has lost them, and end all sessions',
    )
    .requiredOption('--reason <text>', 'why, and how the person was recognised; it is recorded', parseReason)
    .action((who: string, { reason }: { reason: string }) =>
      withDatabase(config(), async (database) => {
        const account = await accountCalled(database, who);
        await resetFactors(database, { accountId: account.id, actor: operator(), reason });
        const message = `The second factor of ${account.email} is reset; the password alone signs in.`;
        print(json(), { email: account.email, reset: true }, facts(message, { reason }));
      }),
    );
}

function registerEndSessions(user: Command, { config, json }: CommandHost): void {
  user
    .command('end-sessions <id|email>')
    .description(
      'end all sessions of a user and void links, with immediate effect and on record; the password stays valid',
    )
    .action((who: string) =>
      withDatabase(config(), async (database) => {
        const { id, email } = await accountCalled(database, who);
        const ended = await endSessionsOf(database, id, operator());
        print(json(), { email, ended }, facts(`All sessions of ${email} have ended.`, { ended: String(ended) }));
      }),
    );
}

function registerReset(user: Command, { config, json }: CommandHost): void {
  user
    .command('reset <id|email>')
    .description(
      'send a link that replaces the password, or print it if mail is not configured; it is valid for one hour',
    )
    .action(async (who: string) => (await signInLinks()).resetUser({ config, json }, who));
}

/** Loaded on demand, because it imports the sign-in library. */
const signInLinks = () => import('../sign-in-links.ts');

const READERS: Record<UserRole, (options: CreateOptions) => NewUser> = {
  client: newClient,
  firm_member: newMember,
  ops: newOperator,
};

const CURRENCY = 'an ISO 4217 code such as USD or EUR';

function parseCurrency(text: string): string {
  if (currencyDecimals(text) === null) throw new InvalidArgumentError(`It is not ${CURRENCY}.`);
  return text;
}

function newClient(options: CreateOptions): NewUser {
  refuseFirmOptions(options, 'a client belongs to no firm');
  const { id, email, name, environment, currency } = options;
  if (environment === undefined) throw new UsageError(`a client needs --environment: ${ENVIRONMENTS.join(' or ')}`);
  if (currency === undefined) throw new UsageError(`a client needs --currency: ${CURRENCY}`);
  return { role: 'client', id, email, name, environment, reportingCurrency: currency };
}

function newMember(options: CreateOptions): NewUser {
  const { id, email, name, firm, firmRole } = options;
  if (firm === undefined) throw new UsageError("a firm member needs --firm: the firm's id");
  refuseClientOptions(options);
  return { role: 'firm_member', id, email, name, firmId: firm, firmRole };
}

function newOperator(options: CreateOptions): NewUser {
  refuseFirmOptions(options, 'operations belong to no firm');
  refuseClientOptions(options);
  const { id, email, name } = options;
  return { role: 'ops', id, email, name };
}

function refuseFirmOptions({ firm, firmRole }: CreateOptions, why: string): void {
  if (firm !== undefined) throw new UsageError(`--firm is for firm members; ${why}`);
  if (firmRole !== undefined) throw new UsageError('--firm-role is for firm members only');
}

function refuseClientOptions({ environment, currency }: CreateOptions): void {
  if (environment !== undefined) throw new UsageError('--environment is for clients only');
  if (currency !== undefined) throw new UsageError('--currency is for clients only');
}

/** Notes in the firm's record which members operations created. */
async function recordMember(sql: Sql, { id, firmId, firmRole, name, email }: User): Promise<void> {
  if (firmId === null) return;
  const details = { name, email, role: firmRole };
  await recordFirmEvent(sql, { firmId, actor: operator(), action: 'member_create', subject: id, details });
}

async function requireMember(database: Database, who: string): Promise<{ id: string; firmId: string }> {
  const member = await memberCalled(database, who);
  if (member === null) throw notFound(`firm member ${who}`);
  return member;
}

async function accountCalled(database: Database, who: string): Promise<PortalAccount> {
  const [id] = await usersCalled(database, who);
  if (id === undefined) throw notFound(`user ${who}`);
  const account = await findAccountOfUser(database, id);
  if (account === null) throw new CommandFailure(`${who} has no account yet; "user invite" creates it`);
  return account;
}
