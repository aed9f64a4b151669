// Bench: portal users with large amounts of data.
import { hashPassword } from '../src/auth/password.ts';
import { ALL_SCOPES } from '../src/core/scopes.ts';
import { type Database, openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { accountOfUser, storePassword } from '../src/repositories/accounts/people.ts';
import { createFirm } from '../src/repositories/firms.ts';
import { createUser, type User } from '../src/repositories/users.ts';

export const ITEMS = 10_000;
export const RECORDS = 10_000;
export const KEYS = 500;

export const PASSWORD = 'correct horse battery staple';

export interface PortalData {
  /** With 10,000 items and 10,000 recorded calls. */
  client: User;
  /** Of a firm with 500 keys. */
  member: User;
  /** One of these keys. */
  keyId: string;
}

export async function loadPortalData(url: string): Promise<PortalData> {
  const database = await openDatabase({ url });
  try {
    await migrate(database, 'PTC');
    const firm = await createFirm(database, {
      ...{ name: 'Bench', plan: 'enterprise', planActive: true, tier: 'enterprise' },
    });
    const client = await createUser(database, {
      ...{ role: 'client', email: 'client@example.com', name: 'Client' },
      ...{ environment: 'production', reportingCurrency: 'USD' },
    });
    const member = await createUser(database, {
      ...{ role: 'firm_member', email: 'member@example.com', name: 'Member', firmId: firm.id },
    });
    for (const user of [client, member]) await givePassword(database, user);
    const keyId = await makeKeys(database, firm.id);
    await makeItems(database, client.id);
    await makeRecords(database, { firmId: firm.id, keyId, clientId: client.id });
    await database.query({ text: 'vacuum analyze' });
    return { client, member, keyId };
  } finally {
    await database.close();
  }
}

async function givePassword(database: Database, user: User): Promise<void> {
  const account = await accountOfUser(database, user.id);
  if (account === null) throw new Error(`there is no user ${user.id}`);
  await storePassword(database, account.id, await hashPassword(PASSWORD));
}

/** `Integration 1` to the newest, with unknown secrets. */
async function makeKeys(database: Database, firmId: string): Promise<string> {
  const [key] = await database.query<{ id: string }>({
    text: `insert into api_keys (id, lineage_id, firm_id, name, environment, scopes, secret_hash, secret_prefix,
        secret_last_four, created_by, created_at)
      select id, id, $1, 'Integration ' || n, 'production', $2, sha256(id::bytea), 'sk_live_abcd', lpad(n::text, 4, '0'),
        'operator:bench', now() - ($3 - n) * interval '1 minute'
      from (select n, 'key_' || lpad(n::text, 26, '0') as id from generate_series(1, $3::int) n) made returning id`,
    values: [firmId, ALL_SCOPES, KEYS],
  });
  return key?.id ?? '';
}

/** `Lot 00001` to the last, in four alternating categories. */
async function makeItems(database: Database, clientId: string): Promise<void> {
  await database.query({
    text: `insert into items (id, registry_id, client_id, category, title, quantity)
      select 'itm_' || ulid, 'PTC-' || category || '-' || ulid, $1, category, 'Lot ' || lpad(n::text, 5, '0'), 1
      from generate_series(1, $2::int) n,
        lateral (select '01KA' || lpad(n::text, 22, '0') as ulid, (array['WT', 'AR', 'CN', 'WN'])[n % 4 + 1] as category) u`,
    values: [clientId, ITEMS],
  });
}

/** One a minute, the last a minute ago. */
async function makeRecords(
  database: Database,
  { firmId, keyId, clientId }: { firmId: string; keyId: string; clientId: string },
): Promise<void> {
  await database.query({
    text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, scopes, status)
      select 'req_' || lpad(n::text, 26, '0'), now() - n * interval '1 minute', $1, $2, $3, 'GET /api/v1/assets', 3, 200
      from generate_series(1, $4::int) n`,
    values: [firmId, keyId, clientId, RECORDS],
  });
}
