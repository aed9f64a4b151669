// Repositories: a firm's test clients: created with a portfolio, visible to that firm only, and deleted.
import type { Actor } from '#core/actor.ts';
import { refuse, refuseParameter } from '#core/errors.ts';
import { newId, ulidOf } from '#core/ids.ts';
import { sha256 } from '#core/sha256.ts';
import { MAX_TEST_CLIENT_NAME, TEST_MARK } from '#core/text-lengths.ts';
import type { Sql, Transactions } from '#database/database.ts';
import { findRow } from '#database/rows.ts';
import { takeAllowance } from '../accounts/allowances.ts';
import { recordFirmEvent } from '../firms/firm-events.ts';
import { lockFirmFor } from '../firms.ts';
import { markExpired, revokeGrant, withdrawGrant } from '../grants/grants.ts';
import { requireName } from '../input-checks.ts';
import { declareChance, forgetChance } from '../synthetic/seeded-random.ts';
import { makePortfolio } from './test-portfolio.ts';

export interface TestClient {
  id: string;
  name: string;
  itemCount: number;
  createdAt: string;
}

/** Maximum number created within any 24 hours, including deleted ones. */
const CREATION_ALLOWANCE = { max: 50, hours: 24 } as const;

const NAMES = [
  ...['Amelia Hartmann', 'Rafael Ortega', 'Ingrid Solberg', 'Kwame Mensah', 'Noor Rahimi', 'Theo Lindqvist'],
  ...['Chiara Bellini', 'Daniel Okafor', 'Mei Tanaka', 'Sofia Marques', 'Oskar Nowak', 'Leila Haddad'],
];

const CLIENTS = `select u.id, u.name, u.created_at as "createdAt",
    (select count(*)::int from items i where i.client_id = u.id) as "itemCount"
  from users u where u.deleted_at is null and u.test_firm_id = $1`;

/** Newest first. */
export function listTestClients(sql: Sql, firmId: string): Promise<TestClient[]> {
  return sql.query<TestClient>({ text: `${CLIENTS} order by u.created_at desc, u.id desc`, values: [firmId] });
}

/** Null for an unknown client, another firm's, and a deleted one. */
export function findTestClient(sql: Sql, firmId: string, id: string): Promise<TestClient | null> {
  return findRow(sql, { text: `${CLIENTS} and u.id = $2`, values: [firmId, id] });
}

export interface NewTestClient {
  firmId: string;
  /** Absent for a name chosen by the seed. */
  name?: string | undefined;
  /** Portfolios of the same seed differ in their ids only. */
  seed: number;
  /** Chosen by the caller: requests with the same key create one client. Absent to create one each time. */
  idempotencyKey?: string | undefined;
}

/** Other firms cannot produce this id. */
const idFor = (firmId: string, idempotencyKey: string): string =>
  `usr_${ulidOf(sha256(`test client ${firmId} ${idempotencyKey}`).toString('hex').slice(0, 32))}`;

/**
 * A firm may have at most `most` at a time; else throws `too_many_test_clients`. It does not choose the id: the refusal
 * of a taken one would reveal a client. A repeated idempotency key is refused with `already_exists`.
 */
export async function createTestClient(
  database: Transactions,
  { firmId, name, seed, idempotencyKey }: NewTestClient,
  actor: Actor,
  max: number,
): Promise<TestClient> {
  const id = idempotencyKey === undefined ? newId('user') : idFor(firmId, idempotencyKey);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 31)
    refuseParameter('seed', 'A seed is a whole number from 0 to 2147483647.');
  return database.transaction(async (sql) => {
    await lockFirmFor(sql, firmId, actor, 'developer');
    const [existing] = await sql.query({ text: 'select 1 from users where id = $1', values: [id] });
    if (existing !== undefined) refuse('already_exists', 'This test client has already been created.');
    const others = await listTestClients(sql, firmId);
    const called = requireName((name ?? nameFor(seed, others)).trim(), 'name');
    if ([...called].length > MAX_TEST_CLIENT_NAME)
      refuseParameter('name', `A name has at most ${MAX_TEST_CLIENT_NAME} characters.`);
    if (others.length >= max)
      refuse('too_many_test_clients', `The firm already has ${max} test clients, the maximum. Delete one of them.`);
    await takeAllowance(
      sql,
      `test-clients:${firmId}`,
      CREATION_ALLOWANCE,
      `A firm can create at most ${CREATION_ALLOWANCE.max} test clients in 24 hours.`,
    );
    // No one has an address in this domain, so that no account is created for it and no mail is sent.
    const text = `insert into users (id, email, name, role, environment, reporting_currency, test_firm_id)
      values ($1, lower($1) || '@test-client.invalid', $2, 'client', 'sandbox', 'USD', $3)`;
    await sql.query({ text, values: [id, `${called}${TEST_MARK}`, firmId] });
    await declareChance(sql, seed, id);
    await makePortfolio(sql, { clientId: id, seed });
    await forgetChance(sql);
    await recordFirmEvent(sql, { firmId, actor, action: 'test_client_create', subject: id, details: { name: called } });
    return (await findTestClient(sql, firmId, id)) as TestClient;
  });
}

/**
 * Deletes its items, ends its grants and withdraws open requests to it. The client and the steps of its grants stay on
 * record. Deleting it again is treated as for an unknown client.
 */
export function deleteTestClient(
  database: Transactions,
  { firmId, id }: { firmId: string; id: string },
  actor: Actor,
): Promise<void> {
  return database.transaction(async (sql) => {
    await lockFirmFor(sql, firmId, actor, 'developer');
    // No grant or request is added until the end.
    await sql.query({ text: 'select from users where id = $1 and test_firm_id = $2 for update', values: [id, firmId] });
    const client = await findTestClient(sql, firmId, id);
    if (client === null) refuse('resource_not_found', `There is no test client ${id}.`);
    await markExpired(sql, { clientId: id });
    const text = `select id, status from grants where client_id = $1 and (status in ('pending', 'active') or untold)
      order by id for no key update`;
    const open = await sql.query<{ id: string; status: string }>({ text, values: [id] });
    for (const grant of open)
      if (grant.status === 'active') await revokeGrant(sql, grant.id, { ...actor, kind: 'member_as_test_client' });
      else await withdrawGrant(sql, grant.id, actor);
    await sql.query({ text: 'delete from items where client_id = $1', values: [id] });
    await sql.query({ text: 'delete from collections where client_id = $1', values: [id] });
    await sql.query({ text: 'update users set deleted_at = now_ms() where id = $1', values: [id] });
    const { name } = client;
    await recordFirmEvent(sql, { firmId, actor, action: 'test_client_delete', subject: id, details: { name } });
  });
}

/** A name that no other test client has, as long as there are unused ones. */
function nameFor(seed: number, others: readonly TestClient[]): string {
  const usedNames = new Set(others.map(({ name }) => name));
  const inTurn = NAMES.map((_, at) => NAMES[(seed + at) % NAMES.length] ?? '');
  return inTurn.find((name) => !usedNames.has(`${name}${TEST_MARK}`)) ?? inTurn[0] ?? '';
}
