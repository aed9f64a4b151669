// Acts that meet lock rows in one order: none of them is ended by a deadlock.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Database, Sql } from '#database/database.ts';
import { eraseClient, eraseClientWithin } from '#gateway/personal-data/erase.ts';
import { eraseFirmWithin } from '#gateway/personal-data/erase-user.ts';
import { applyRetention } from '#repositories/access-record/retention.ts';
import { joinFirm } from '#repositories/accounts/joining.ts';
import { accountOfUser, changePassword, storePassword } from '#repositories/accounts/people.ts';
import { endSessionsOf, forgetExpired } from '#repositories/accounts/sessions.ts';
import { acceptInvitation, inviteMember, linkInvitation } from '#repositories/firms/invitations.ts';
import { removeMember, setFirmRole } from '#repositories/firms/members.ts';
import { withdrawEveryInvitation } from '#repositories/firms/withdrawn-invitations.ts';
import { type Firm, lockFirm } from '#repositories/firms.ts';
import { grantWithoutRequest, stopFirm } from '#repositories/grants/grants.ts';
import { lockImports } from '#repositories/import-lock.ts';
import { revokeKey, rotateKey, setKeyTier } from '#repositories/keys/keys.ts';
import { forgetLimitSums } from '#repositories/keys/limit-sums.ts';
import { foldTotals } from '#repositories/maintenance.ts';
import { tidyNotices } from '#repositories/notices/outbox.ts';
import { forgetSamples, lockPerson } from '#repositories/personal-data/client-traces.ts';
import type { User } from '#repositories/users.ts';
import {
  asClient,
  asMember,
  KEY_BOUNDS,
  makeClient,
  makeFirm,
  makeKey,
  makeMember,
  openMigrated,
  operator,
} from '#test/repositories/parties.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { why } from '#test/support/scenario.ts';
import { type Scene, sceneOver } from '#test/tools/import/scene.ts';
import { KINDS, TABLES } from '#tools/import/kinds.ts';

let database: Database;
let close: () => Promise<void>;
let scene: Scene;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
  scene = sceneOver(database);
});
afterAll(async () => {
  await scene?.close();
  await close?.();
});

/** Holds what `hold` locks, starts `other`, and makes `act` while `other` waits. Both must succeed. */
async function meet(hold: (sql: Sql) => Promise<unknown>, other: () => Promise<unknown>, act: (sql: Sql) => unknown) {
  let waiting: Promise<unknown> = Promise.resolve();
  await database.transaction(async (sql) => {
    await hold(sql);
    waiting = other();
    waiting.catch(() => {});
    await untilBlocked(database);
    await act(sql);
  });
  await waiting;
}

const holding =
  (text: string, ...values: unknown[]) =>
  (sql: Sql) =>
    sql.query({ text, values });

const run = (text: string, ...values: unknown[]) => database.query({ text, values });

const erasing = (id: string) => ({ id, reason: 'Asked', actor: operator });
async function withPassword(user: User): Promise<string> {
  const account = await accountOfUser(database, user.id);
  await storePassword(database, account?.id ?? '', 'a hash');
  return account?.id ?? '';
}

async function linkTo(firmId: string, email: string): Promise<string> {
  const { id } = await inviteMember(database, firmId, { email, name: 'Member', role: 'developer' }, operator);
  return (await linkInvitation(database, id))?.token ?? '';
}

const lineOf = ({ id, email }: User, firmId: string) => ({
  id,
  email,
  name: 'Member',
  role: 'firm_member',
  firm_id: firmId,
});

describe('an account', () => {
  const CREDENTIAL = 'select from portal_credentials where account_id = $1 for no key update';
  const ACCOUNT = 'select from portal_accounts where id = $1 for no key update';

  it('is erased beside a new password by a link', async () => {
    const client = await makeClient(database);
    const id = await withPassword(client);
    await meet(
      holding(CREDENTIAL, id),
      () => eraseClient(database, erasing(client.id), { portalUrl: null, noticeDays: 0 }),
      (sql) => storePassword(sql, id, 'another hash'),
    );
  });

  it('has no session left to end after its erasure', async () => {
    const client = await makeClient(database);
    const id = await withPassword(client);
    const erased = { portalUrl: null, noticeDays: 0 };
    let ending: Promise<number> = Promise.resolve(-1);
    await database.transaction(async (sql) => {
      const rest = await eraseClientWithin(sql, erasing(client.id), erased);
      ending = endSessionsOf(database, id, operator);
      ending.catch(() => {});
      await untilBlocked(database);
      await rest();
    });
    expect(await ending).toBe(0);
  });

  it('gets a new password beside one by a link', async () => {
    const client = await makeClient(database);
    const id = await withPassword(client);
    await run(
      `insert into portal_sessions (id, account_id, session_token, expires_at, acting_user_id)
      values ($2, $1, $2, now() + interval '1 hour', $3)`,
      id,
      newId('session'),
      client.id,
    );
    const [session] = await database.query<{ id: string }>({
      text: 'select id from portal_sessions where account_id = $1',
      values: [id],
    });
    const own = { accountId: id, sessionId: session?.id ?? '' };
    await expect(
      meet(
        holding(CREDENTIAL, id),
        () => changePassword(database, own, { from: 'a hash', to: 'another hash' }),
        (sql) => storePassword(sql, id, 'a third hash'),
      ),
    ).rejects.toMatchObject({ code: 'not_signed_in' });
  });

  it('returns to its firm while its second factor is turned on', async () => {
    const firm = await makeFirm(database);
    await makeMember(database, firm);
    const member = await makeMember(database, firm);
    const account = await accountOfUser(database, member.id);
    await run(
      'insert into portal_second_factors (id, account_id, totp_secret, recovery_codes, verified) values ($2, $1, $$s$$, $$c$$, false)',
      account?.id,
      newId('second_factor'),
    );
    await removeMember(database, firm.id, member.id, operator);
    const token = await linkTo(firm.id, member.email);
    await meet(
      holding(ACCOUNT, account?.id),
      () => joinFirm(database, { token, name: 'Member', passwordHash: 'a hash' }),
      holding('update portal_accounts set two_factor_enabled = true where id = $1', account?.id),
    );
  });
});

describe('the end of a firm', () => {
  const end = ({ id }: Firm) => database.transaction((sql) => eraseFirmWithin(sql, erasing(id), { portalUrl: null }));

  it('waits for one of its members who joins another firm', async () => {
    const [firm, other] = [await makeFirm(database), await makeFirm(database)];
    const { email } = await makeMember(database, firm);
    const token = await linkTo(other.id, email);
    await meet(
      holding('select from firm_invitations where firm_id = $1 for no key update', other.id),
      () => end(firm),
      (sql) => expect(acceptInvitation(sql, token, 'Member')).rejects.toMatchObject({ code: 'already_exists' }),
    );
  });

  it('waits for the revocation of one of its keys', async () => {
    const firm = await makeFirm(database);
    const member = await makeMember(database, firm);
    const { id } = await makeKey(database, firm);
    await meet(
      holding('select from api_keys where id = $1 for no key update', id),
      () => end(firm),
      (sql) => revokeKey(sql, id, asMember(member)),
    );
  });
});

describe('an import', () => {
  it('that moves members and their addresses waits for a change of roles', async () => {
    const [firm, other] = [await makeFirm(database), await makeFirm(database)];
    const [one, two] = [await makeMember(database, firm), await makeMember(database, firm)];
    const users = [lineOf({ ...one, email: two.email }, firm.id), lineOf({ ...two, email: one.email }, other.id)];
    await meet(
      (sql) => lockFirm(sql, firm.id),
      () => scene.load({ users }),
      (sql) => setFirmRole({ transaction: (work) => work(sql) }, firm.id, one.id, 'auditor', operator),
    );
  });

  it('that erases members of two firms waits for one who joins', async () => {
    const [firm, other] = [await makeFirm(database), await makeFirm(database)];
    const [one, two] = [await makeMember(database, firm), await makeMember(database, other)];
    const token = await linkTo(other.id, one.email);
    const users = [one, two].map(({ id }) => ({ id, deleted_at: '2026-01-01T00:00:00Z' }));
    await meet(
      (sql) => lockFirm(sql, other.id),
      () => scene.load({ users }),
      (sql) => expect(acceptInvitation(sql, token, 'Member')).rejects.toMatchObject({ code: 'already_exists' }),
    );
  });

  it('that erases a member and changes another firm waits for one who joins', async () => {
    const [firm, other] = [await makeFirm(database), await makeFirm(database)];
    const one = await makeMember(database, firm);
    const token = await linkTo(other.id, one.email);
    const firms = [{ id: other.id, name: 'Renamed', plan: 'enterprise', plan_active: true }];
    await meet(
      (sql) => lockFirm(sql, other.id),
      () => scene.load({ firms, users: [{ id: one.id, deleted_at: '2026-01-01T00:00:00Z' }] }),
      (sql) => expect(acceptInvitation(sql, token, 'Member')).rejects.toMatchObject({ code: 'already_exists' }),
    );
  });

  it('that analyses its tables waits for an erasure that does so', async () => {
    const tables = KINDS.map((kind) => TABLES[kind]).filter((table) => table !== 'firms');
    for (const [at, table] of tables.slice(1).entries())
      await meet(holding(`analyze ${tables[at]}`), () => forgetSamples(database), holding(`analyze ${table}`));
  });
});

it('all invitations are withdrawn after an erasure', async () => {
  const [one, other] = [await makeFirm(database), await makeFirm(database)].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const member = await makeMember(database, other as Firm);
  await linkTo(one?.id ?? '', member.email);
  await linkTo(other?.id ?? '', 'invited@example.com');
  await meet(
    async (sql) => {
      // What an erasure locks first.
      await lockImports(sql);
      await lockFirm(sql, other?.id ?? '');
    },
    () => database.transaction((sql) => withdrawEveryInvitation(sql, operator)),
    (sql) => lockPerson(sql, member.id),
  );
});

it('a tier is set beside a new grant', async () => {
  const { id } = await makeKey(database, await makeFirm(database));
  const { successor } = await rotateKey(database, id, { secret: makeKeySecret('sandbox') }, operator, KEY_BOUNDS);
  const lock = (key: string) => holding('select from api_keys where id = $1 for share', key);
  await meet(lock(id), () => setKeyTier(database, id, { ...why, tier: 'elevated' }, operator), lock(successor.id));
});

describe('grants', () => {
  it('of a firm are ended by the client in the order of an erasure', async () => {
    const firm = await makeFirm(database);
    const client = await makeClient(database);
    const ids = [newId('grant'), newId('grant')].toSorted();
    const terms = { scopes: ALL_SCOPES, filter: { type: 'all' }, expiresAt: null } as const;
    for (const id of ids.toReversed()) {
      const { id: keyId } = await makeKey(database, firm);
      await grantWithoutRequest(database, { id, keyId, clientId: client.id, ...terms }, asClient(client));
    }
    const lock = (id: string | undefined) => holding('select from grants where id = $1 for no key update', id);
    await meet(
      lock(ids[0]),
      () => stopFirm(database, { clientId: client.id, firmId: firm.id }, asClient(client)),
      lock(ids[1]),
    );
  });
});

describe('upkeep', () => {
  /** Fails if the work waits for a lock. */
  async function unblocked(work: () => Promise<unknown>): Promise<void> {
    let done = false;
    const working = work().finally(() => {
      done = true;
    });
    working.catch(() => {});
    const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while (!done) expect(await run(waits)).toEqual([]);
    await working;
  }

  it('leaves expired rows to an erasure that is deleting them', async () => {
    const client = await makeClient(database);
    const account = await accountOfUser(database, client.id);
    const ended = "now() - interval '40 days'";
    await run(
      `insert into portal_sessions (id, account_id, session_token, acting_user_id, created_at, expires_at)
        values ($1, $2, $1, $3, ${ended}, ${ended})`,
      ...[newId('session'), account?.id, client.id],
    );
    const link = `insert into portal_verifications (id, lookup_key, held_value, expires_at) values ($1, $1, $2, ${ended})`;
    await run(link, newId('verification'), account?.id);
    await run(`insert into portal_used_codes (account_id, used_code, used_at) values ($1, '1', ${ended})`, account?.id);
    await run(`insert into allowances (subject, taken, forget_after) values ('reset:1', '{}', ${ended})`);
    const notice = 'insert into notices (kind, recipient, subject, occurrence, created_at, ended_at, outcome)';
    await run(`${notice} values ('grant_given', $1, $1, '1', ${ended}, null, null)`, client.id);
    await run(`${notice} values ('grant_given', $1, $1, '2', ${ended}, ${ended}, 'sent')`, client.id);
    await database.transaction(async (sql) => {
      for (const table of ['portal_sessions', 'portal_verifications', 'portal_used_codes', 'allowances', 'notices'])
        await sql.query({ text: `select from ${table} for update` });
      await unblocked(() => database.transaction(forgetExpired));
      await unblocked(() => database.transaction(tidyNotices));
    });
    await database.transaction(forgetExpired);
    expect(await run('select from portal_sessions where account_id = $1', account?.id)).toEqual([]);
  });

  it('leaves totals to an erasure, and late sums to a gateway that adds to them', async () => {
    await run(`insert into limit_sums (seconds, at, key_id, tier, admitted, refused, near, let_pass)
      values (60, now_ms() - interval '2 days', 'key_1', 'standard', 1, 0, 0, 0)`);
    const { id } = await makeClient(database);
    const totals = `insert into portfolio_totals (client_id, category, items, value) values ($1, 'WT', 1, 1), ($1, 'WT', 1, 1)`;
    await run(totals, id);
    await database.transaction(async (sql) => {
      await lockPerson(sql, id);
      for (const table of ['portfolio_totals', 'limit_sums'])
        await sql.query({ text: `select from ${table} for update` });
      await unblocked(() => database.transaction(foldTotals));
      await unblocked(() => database.transaction(forgetLimitSums));
    });
    await database.transaction(foldTotals);
    await database.transaction(forgetLimitSums);
    expect(await run('select from portfolio_totals where client_id = $1', id)).toHaveLength(1);
    expect(await run('select from limit_sums')).toEqual([]);
  });

  it('leaves unused numbers to a gateway that uses them again', async () => {
    await run(`insert into access_keys (key_id, firm_id, seen) values ('key_1', 'frm_1', '2020-01-01')`);
    await database.transaction(async (sql) => {
      await sql.query({ text: 'select from access_keys for update' });
      await unblocked(() => applyRetention(database, {}));
    });
    await applyRetention(database, {});
    expect(await run('select from access_keys')).toEqual([]);
  });
});
