// Repositories: clients, firm members and operations.
import { refuse, refuseParameter } from '#core/errors.ts';
import type { FirmRole } from '#core/firm-roles.ts';
import { currencyDecimals } from '#core/money.ts';
import type { Environment } from '#core/principal.ts';
import type { Sql } from '#database/database.ts';
import { findRow } from '#database/rows.ts';
import { lockAccountsAt } from './accounts/account-lock.ts';
import { lockFirm } from './firms.ts';
import { givenOrNewId, requireEmail, requireName } from './input-checks.ts';
import { findErasure } from './personal-data/erased-subjects.ts';

/** Default role of firm members: full rights, as before roles existed. */
export const DEFAULT_FIRM_ROLE: FirmRole = 'administrator';

export const USER_ROLES = ['client', 'firm_member', 'ops'] as const;
export type UserRole = (typeof USER_ROLES)[number];

export interface User {
  id: string;
  email: string;
  name: string;
  role: UserRole;
  /** Of firm members only. */
  firmId: string | null;
  /** Of firm members only. */
  firmRole: FirmRole | null;
  /** Of clients only. */
  environment: Environment | null;
  /** Of clients only: ISO 4217. */
  reportingCurrency: string | null;
  createdAt: string;
}

interface NewPerson {
  /** Absent for a generated id. */
  id?: string | undefined;
  email: string;
  name: string;
}

export type NewUser =
  | (NewPerson & { role: 'client'; environment: Environment; reportingCurrency: string })
  | (NewPerson & { role: 'firm_member'; firmId: string; firmRole?: FirmRole | undefined })
  | (NewPerson & { role: 'ops' });

const COLUMNS = `id, email, name, role, firm_id as "firmId", firm_role as "firmRole", environment, reporting_currency as "reportingCurrency",
  created_at as "createdAt"`;

/** `sql` must be a transaction. Throws Refusal. */
export async function createUser(sql: Sql, user: NewUser): Promise<User> {
  const id = givenOrNewId('user', user.id);
  const client = user.role === 'client' ? user : null;
  const firmId = user.role === 'firm_member' ? user.firmId : null;
  const email = requireEmail(user.email);
  if (client !== null) requireCurrency(client.reportingCurrency);
  if (firmId !== null) await lockFirmToJoin(sql, firmId);
  const currency = client?.reportingCurrency ?? null;
  if ((await findErasure(sql, id)) !== null) refuse('already_exists', `${id} was erased; the id cannot be used again.`);
  await lockAccountsAt(sql, email);
  const [created] = await sql.query<User>({
    text: `insert into users (id, email, name, role, firm_id, environment, reporting_currency, firm_role)
      values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning ${COLUMNS}`,
    values: [
      ...[id, email, requireName(user.name, 'name'), user.role, firmId, client?.environment ?? null, currency],
      user.role === 'firm_member' ? (user.firmRole ?? DEFAULT_FIRM_ROLE) : null,
    ],
  });
  return created ?? refuseDuplicate(sql, id);
}

/** Locked until the transaction ends: the end of the firm waits, and finds the new member. */
async function lockFirmToJoin(sql: Sql, id: string): Promise<void> {
  if (!(await lockFirm(sql, id))) refuse('resource_not_found', `There is no firm ${id}.`);
  if ((await findErasure(sql, id)) !== null) refuse('invalid_transition', `The firm ${id} was erased.`);
}

export function findUser(sql: Sql, id: string): Promise<User | null> {
  return findRow(sql, { text: `select ${COLUMNS} from users where id = $1`, values: [id] });
}

function requireCurrency(currency: string): void {
  if (currencyDecimals(currency) !== null) return;
  refuseParameter('reporting_currency', `"${currency}" is not an ISO 4217 currency code.`);
}

async function refuseDuplicate(sql: Sql, id: string): Promise<never> {
  const sameId = (await findUser(sql, id)) !== null;
  const message = sameId
    ? `There is already a user ${id}.`
    : 'There is already a user with this e-mail address in this role and environment.';
  refuse('already_exists', message);
}
