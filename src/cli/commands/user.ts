// Command line: `portico user …`.
import { currencyDecimals } from '#core/money.ts';
import { ENVIRONMENTS, type Environment } from '#core/principal.ts';
import { createUser, type NewUser, USER_ROLES, type User, type UserRole } from '#repositories/users.ts';
import { type CommandHost, print, UsageError } from '../host.ts';
import { choice, idOption, required } from '../options.ts';
import { withDatabase } from '../session.ts';
import { facts } from '../table.ts';

interface CreateOptions {
  email: string;
  name: string;
  role: UserRole;
  firm?: string;
  environment?: Environment;
  currency?: string;
  id?: string;
}

export function registerUser({ program, config, json }: CommandHost): void {
  const user = program.command('user').description('clients, firm members and operations');
  user
    .command('create')
    .description('create a client, a firm member, or one of operations')
    .requiredOption('--email <address>', 'e-mail address')
    .requiredOption('--name <name>', "the person's name")
    .addOption(required(choice('--role <role>', 'what the person is', USER_ROLES)))
    .option('--firm <id>', 'firm members: their firm')
    .addOption(choice('--environment <environment>', 'clients: where their data belong', ENVIRONMENTS))
    .option('--currency <code>', 'clients: reporting currency, ISO 4217')
    .addOption(idOption('user'))
    .action((options: CreateOptions) => {
      const wanted = READERS[options.role](options);
      return withDatabase(config(), async (database) => {
        const created = await createUser(database, wanted);
        print(
          json(),
          userJson(created),
          facts(`Created ${created.role.replace('_', ' ')} ${created.id}.`, {
            name: created.name,
            email: created.email,
          }),
        );
      });
    });
  user
    .command('invite <id|email>')
    .description('send a link that sets the first password, or print it where there is no mail; for 7 days')
    .action(async (who: string) => (await signInLinks()).inviteUser({ config, json }, who));
  user
    .command('reset <id|email>')
    .description('send a link that replaces the password, or print it where there is no mail; for one hour')
    .action(async (who: string) => (await signInLinks()).resetUser({ config, json }, who));
}

/** Loaded where it is needed: with it comes the whole library of signing in. */
const signInLinks = () => import('../sign-in-links.ts');

const READERS: Record<UserRole, (options: CreateOptions) => NewUser> = {
  client: newClient,
  firm_member: newMember,
  ops: newOperator,
};

function newClient({ id, email, name, firm, environment, currency }: CreateOptions): NewUser {
  if (firm !== undefined) throw new UsageError('--firm is for firm members; a client belongs to no firm');
  if (environment === undefined) throw new UsageError(`a client needs --environment: ${ENVIRONMENTS.join(' or ')}`);
  if (currency === undefined || currencyDecimals(currency) === null)
    throw new UsageError('a client needs --currency: an ISO 4217 code such as USD or EUR');
  return { role: 'client', id, email, name, environment, reportingCurrency: currency };
}

function newMember({ id, email, name, firm, environment, currency }: CreateOptions): NewUser {
  if (firm === undefined) throw new UsageError("a firm member needs --firm: the firm's id");
  if (environment !== undefined) throw new UsageError('--environment is for clients only');
  if (currency !== undefined) throw new UsageError('--currency is for clients only');
  return { role: 'firm_member', id, email, name, firmId: firm };
}

function newOperator({ id, email, name, firm, environment, currency }: CreateOptions): NewUser {
  if (firm !== undefined) throw new UsageError('--firm is for firm members; operations belong to no firm');
  if (environment !== undefined) throw new UsageError('--environment is for clients only');
  if (currency !== undefined) throw new UsageError('--currency is for clients only');
  return { role: 'ops', id, email, name };
}

const userJson = ({ firmId, reportingCurrency, createdAt, ...user }: User) => ({
  ...user,
  firm_id: firmId,
  reporting_currency: reportingCurrency,
  created_at: createdAt,
});
