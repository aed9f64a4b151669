// Guarantee: every act that takes access away is in the revocation journal before it is acknowledged, and an earlier
// backup restores none of that access once the journal has been applied. The backup is a copy of the database.

import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { URI } from 'otpauth';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeToken } from '#auth/key-format.ts';
import type { Actor } from '#core/actor.ts';
import type { FirmRole } from '#core/firm-roles.ts';
import { newId } from '#core/ids.ts';
import type { TokenKind } from '#core/principal.ts';
import { scopeSet } from '#core/scopes.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { RevocationJournal } from '#database/revocation-journal.ts';
import { requireServable, UnconfirmedDatabase } from '#gateway/restore/servable.ts';
import { isActive } from '#repositories/admission/admission.ts';
import { createToken, listTokens, revokeToken } from '#repositories/admission/tokens.ts';
import { inviteMember, withdrawInvitation } from '#repositories/firms/invitations.ts';
import { removeMember, setFirmRole } from '#repositories/firms/members.ts';
import { changeGrant, declineGrant, requestGrant, revokeGrant, withdrawGrant } from '#repositories/grants/grants.ts';
import { changeKey } from '#repositories/keys/key-settings.ts';
import { revokeKey, rotateKey } from '#repositories/keys/keys.ts';
import { confirmPlace, readPlace } from '#repositories/restores.ts';
import { createUser } from '#repositories/users.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { urlOf, withClient } from '#test/support/database-server.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { freePort } from '#test/support/ports.ts';
import { readAdmission } from '#test/support/recorded.ts';
import { makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';
import type { Browser } from '../portal-server/browser.ts';
import { makeMember, makeOwner, PASSWORD, signedIn } from '../portal-server/people.ts';
import { type Directory, sceneOver } from '../tools/import/scene.ts';

const operator = { kind: 'operator', id: 'test' } as const;

type Holds = (database: Database) => Promise<boolean>;

interface Access {
  take(): Promise<unknown>;
  /** Whether the access still exists. */
  holds: Holds;
}

let directory: string;
let journal: RevocationJournal;
let gateway: TestGateway;
let drop: () => Promise<void>;
let copyUrl: string;

const run = (text: string, ...values: unknown[]) => gateway.database.query({ text, values });
const exists =
  (text: string, ...values: unknown[]): Holds =>
  async (database) =>
    (await database.query({ text, values })).length > 0;

async function ofPartner(take: (partner: Partner) => Promise<unknown>, more = ''): Promise<Access> {
  const partner = await makePartner(gateway);
  await makeItem(gateway.database, partner.client);
  return {
    take: () => take(partner),
    holds: async (database) => {
      const found = await readAdmission(database, { key: partner.key.id, clientId: partner.client.id });
      if (found === null || !isActive(found.admission)) return false;
      const { grant, key, endsAt } = found.admission;
      if (more === 'scopes') return (grant.scopes & key.scopes & scopeSet(['valuation'])) !== 0;
      if (more === 'filter') return grant.filter.type === 'all';
      if (more === 'end') return endsAt === null;
      if (more === 'networks') return key.allowedNetworks.length === 0;
      return true;
    },
  };
}

async function pending(take: (grantId: string, member: Actor, client: Actor) => Promise<unknown>): Promise<Access> {
  const firm = await makeFirm(gateway.database);
  const [key, client] = [await makeKey(gateway.database, firm), await makeClient(gateway.database)];
  const member = { kind: 'firm_member', id: (await makeMember(gateway.database, firm)).id } as const;
  const terms = { scopes: scopeSet(['registry']), filter: { type: 'all' }, expiresAt: null } as const;
  const request = { keyId: key.id, client: client.id, purpose: 'For the estate', ...terms };
  const { id } = await requestGrant(gateway.database, request, member);
  return {
    take: () => take(id, member, { kind: 'client', id: client.id }),
    holds: exists(`select from grants where id = $1 and status = 'pending'`, id),
  };
}

async function ofToken(kind: TokenKind, take: (id: string) => Promise<unknown>): Promise<Access> {
  const { hash } = makeToken(kind);
  const { id } = await createToken(gateway.database, kind, { holder: 'ops', hash, expiresAt: null });
  return {
    take: () => take(id),
    holds: async (database) =>
      (await listTokens(database, kind)).some(
        (one) => one.id === id && one.status === 'active' && one.expiresAt === null,
      ),
  };
}

interface Person {
  id: string;
  email: string;
  accountId: string;
  browser: Browser;
  /** Whether the password alone signs in. */
  byPassword: Holds;
  hasSession: Holds;
}

async function person(): Promise<Person> {
  const { id, email } = await makeOwner(gateway.database);
  const browser = await signedIn(gateway.url, { email });
  const [row] = await gateway.database.query<{ id: string; hash: string }>({
    text: `select a.id, c.password_hash as hash from portal_accounts a join portal_credentials c on c.account_id = a.id
      where a.email = $1`,
    values: [email],
  });
  const { id: accountId = '', hash } = row ?? {};
  return {
    ...{ id, email, accountId, browser },
    byPassword: exists(
      `select from portal_credentials c join portal_accounts a on a.id = c.account_id join users u on lower(u.email) = a.email
        where a.id = $1 and c.password_hash = $2 and not a.two_factor_enabled`,
      ...[accountId, hash],
    ),
    hasSession: exists(
      `select from portal_sessions s join users u on u.id = s.acting_user_id join portal_accounts a on a.id = s.account_id
        where a.id = $1 and lower(u.email) = a.email`,
      accountId,
    ),
  };
}

async function colleague(firmRole: FirmRole) {
  const firm = await makeFirm(gateway.database);
  await makeMember(gateway.database, firm);
  const wish = { role: 'firm_member', email: `${newId('user')}@example.com`, name: 'Colleague' } as const;
  const member = await createUser(gateway.database, { ...wish, firmId: firm.id, firmRole });
  return { firm, member };
}

async function enableSecondFactor({ browser }: Person): Promise<void> {
  const { body } = await browser.post('/portal/auth/two-factor/enable', { password: PASSWORD });
  const code = (URI.parse(body.totpURI) as { generate(): string }).generate();
  expect((await browser.post('/portal/auth/two-factor/verify-totp', { code })).status).toBe(200);
}

async function ofPerson(holds: 'byPassword' | 'hasSession', take: (who: Person) => Promise<unknown>): Promise<Access> {
  const who = await person();
  return { take: () => take(who), holds: who[holds] };
}

async function ofSecondFactor(take: (who: Person) => Promise<unknown>): Promise<Access> {
  const who = await person();
  await enableSecondFactor(who);
  const [row] = await gateway.database.query<{ factor: string }>({
    text: 'select f::text as factor from portal_second_factors f where account_id = $1',
    values: [who.accountId],
  });
  return {
    take: () => take(who),
    holds: exists('select from portal_second_factors f where f::text = $1', row?.factor),
  };
}

async function importLines(files: Directory): Promise<void> {
  const scene = sceneOver(gateway.database);
  await scene.load(files);
  await scene.close();
}

const clientLine = ({ client }: Partner, email: string) => ({
  ...{ id: client.id, email, name: client.name, role: 'client' },
  ...{ environment: client.environment, reporting_currency: client.reportingCurrency },
});

/** Acts that take access away; each name begins with the table that its journal line names. */
const ACTS: Record<string, () => Promise<Access>> = {
  'api_keys: revoked': () => ofPartner(({ key }) => revokeKey(gateway.database, key.id, operator)),
  'api_keys: rotated': () =>
    ofPartner(({ key }) => {
      const secret = { hash: Buffer.alloc(32, key.id), prefix: 'p', lastFour: 'last' };
      return rotateKey(gateway.database, key.id, { secret, overlapMs: 0 }, operator, {
        maxKeys: 100,
        lifetimeDays: null,
      });
    }),
  'api_keys: given an end': () =>
    ofPartner(
      ({ key }) => run(`update api_keys set expires_at = now() + interval '1 day' where id = $1`, key.id),
      'end',
    ),
  'api_keys: fewer networks': () =>
    ofPartner(
      ({ key }) =>
        changeKey(gateway.database, key.id, { allowedNetworks: ['203.0.113.0/24'] }, operator, { lifetimeDays: null }),
      'networks',
    ),
  'api_keys: fewer scopes': () =>
    ofPartner(({ key }) => run('update api_keys set scopes = 1 where id = $1', key.id), 'scopes'),
  'api_keys: another secret': async () => {
    const { key } = await makePartner(gateway);
    return {
      take: () => run('update api_keys set secret_hash = sha256(id::bytea) where id = $1', key.id),
      // The old secret is no longer valid.
      holds: exists(
        'select from api_keys where id = $1 and secret_hash <> sha256(id::bytea) and revoked_at is null',
        key.id,
      ),
    };
  },
  'api_keys: deleted': () =>
    ofPartner(({ key }) =>
      run(
        `with a as (delete from grant_events e using grants g where g.id = e.grant_id and g.lineage_id = $1),
          b as (delete from key_events where key_id = $1), c as (delete from grants where lineage_id = $1)
          delete from api_keys where id = $1`,
        key.id,
      ),
    ),
  'grants: revoked': () => ofPartner(({ grant }) => revokeGrant(gateway.database, grant.id, operator)),
  'grants: fewer scopes': () =>
    ofPartner(
      ({ grant }) => changeGrant(gateway.database, grant.id, { scopes: scopeSet(['registry']) }, operator),
      'scopes',
    ),
  'grants: a narrower filter': () =>
    ofPartner(
      ({ grant }) =>
        changeGrant(gateway.database, grant.id, { filter: { type: 'category', categories: ['WT'] } }, operator),
      'filter',
    ),
  'grants: given an end': () =>
    ofPartner(
      ({ grant }) => changeGrant(gateway.database, grant.id, { expiresAt: '2030-01-01T00:00:00.000Z' }, operator),
      'end',
    ),
  'grants: another client': () =>
    ofPartner(async ({ grant }) => {
      const { client } = await makePartner(gateway);
      await run('update grants set client_id = $2 where id = $1', grant.id, client.id);
    }),
  'grants: declined': () => pending((id, _, client) => declineGrant(gateway.database, id, client)),
  'grants: withdrawn': () => pending((id, member) => withdrawGrant(gateway.database, id, member)),
  'firms: plan ended by an import': () =>
    ofPartner(({ key }) => importLines({ firms: [{ id: key.firmId, name: 'Firm', plan: 'none' }] })),
  'firms: suspended': () =>
    ofPartner(({ key }) => run('update firms set plan_active = false where id = $1', key.firmId)),
  'users: another environment': () =>
    ofPartner(({ client }) => run(`update users set environment = 'sandbox' where id = $1`, client.id)),
  'users: another address by an import': async () => {
    const partner = await makePartner(gateway);
    return {
      take: () => importLines({ users: [clientLine(partner, `${newId('user').toLowerCase()}@example.com`)] }),
      holds: exists('select from users where id = $1 and email = $2', partner.client.id, partner.client.email),
    };
  },
  'users: a member removed': async () => {
    const { firm, member } = await colleague('developer');
    return {
      take: () => removeMember(gateway.database, firm.id, member.id, operator),
      holds: exists('select from users where id = $1 and removed_at is null', member.id),
    };
  },
  'users: a member with less of a role': async () => {
    const { firm, member } = await colleague('developer');
    return {
      take: () => setFirmRole(gateway.database, firm.id, member.id, 'auditor', operator),
      holds: exists(`select from users where id = $1 and firm_role = 'developer'`, member.id),
    };
  },
  'firm_invitations: withdrawn': async () => {
    const { firm } = await colleague('developer');
    const wish = { email: `${newId('user')}@example.com`, name: 'New', role: 'auditor' } as const;
    const { id } = await inviteMember(gateway.database, firm.id, wish, operator);
    return {
      take: () => withdrawInvitation(gateway.database, firm.id, id, operator),
      holds: exists('select from firm_invitations where id = $1 and ended_at is null', id),
    };
  },
  'portal_passkeys: removed': async () => {
    const { accountId } = await person();
    const id = newId('passkey');
    await run(
      `insert into portal_passkeys (id, account_id, name, credential_id, public_key) values ($1, $2, 'Telephone', $1, '')`,
      ...[id, accountId],
    );
    return {
      take: () => run('delete from portal_passkeys where id = $1', id),
      holds: exists('select from portal_passkeys where id = $1', id),
    };
  },
  'users: deleted': () => ofPerson('hasSession', ({ id }) => run('delete from users where id = $1', id)),
  'plant_tokens: revoked': () => ofToken('plant', (id) => revokeToken(gateway.database, 'plant', id)),
  'plant_tokens: given an end': () =>
    ofToken('plant', (id) => run(`update plant_tokens set expires_at = now() + interval '1 day' where id = $1`, id)),
  'plant_tokens: deleted': () => ofToken('plant', (id) => run('delete from plant_tokens where id = $1', id)),
  'service_tokens: revoked': () => ofToken('service', (id) => revokeToken(gateway.database, 'service', id)),
  'service_tokens: deleted': () => ofToken('service', (id) => run('delete from service_tokens where id = $1', id)),
  'portal_sessions: signed out': () =>
    ofPerson('hasSession', ({ browser }) => browser.post('/portal/auth/sign-out', {})),
  'portal_sessions: signed out everywhere': () =>
    ofPerson('hasSession', ({ browser }) => browser.post('/portal/auth/sign-out-everywhere', {})),
  'portal_credentials: another password': () =>
    ofPerson('byPassword', ({ browser }) =>
      browser.post('/portal/auth/change-password', { currentPassword: PASSWORD, newPassword: `another ${PASSWORD}` }),
    ),
  'portal_credentials: deleted': () =>
    ofPerson('byPassword', ({ accountId }) => run('delete from portal_credentials where account_id = $1', accountId)),
  'portal_accounts: second factor on': () => ofPerson('byPassword', enableSecondFactor),
  'portal_accounts: deleted': () =>
    ofPerson('byPassword', ({ accountId }) => run('delete from portal_accounts where id = $1', accountId)),
  'portal_accounts: another address': () =>
    ofPerson('byPassword', ({ accountId }) =>
      run(`update portal_accounts set email = lower(id) || '@example.com' where id = $1`, accountId),
    ),
  'portal_second_factors: off': () =>
    ofSecondFactor(({ browser }) => browser.post('/portal/auth/two-factor/disable', { password: PASSWORD })),
  'portal_second_factors: other recovery codes': () =>
    ofSecondFactor(({ browser }) =>
      browser.post('/portal/auth/two-factor/generate-backup-codes', { password: PASSWORD }),
    ),
  'portal_verifications: a link withdrawn': async () => {
    const { accountId } = await person();
    const id = newId('verification');
    await run(
      `insert into portal_verifications (id, lookup_key, held_value, expires_at)
        values ($1, $1, $2, now() + interval '1 day')`,
      ...[id, accountId],
    );
    return {
      take: () => run('delete from portal_verifications where id = $1', id),
      holds: exists('select from portal_verifications where id = $1', id),
    };
  },
  'plant_tokens: emptied by TRUNCATE': () => ofToken('plant', () => run('truncate plant_tokens')),
};

const accesses = new Map<string, Access>();
let bystander: Access;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-journal-'));
  journal = await RevocationJournal.open(join(directory, 'journal'));
  const created = await createMigratedDatabase();
  // The same port at each start, because browsers store their cookies by origin.
  const port = String(await freePort());
  const start = () =>
    startGateway({ databaseUrl: created.url, journal, env: { TRUST_PROXY: '127.0.0.1', PORT: port } });
  gateway = await start();
  await journal.begin((await readPlace(gateway.database)).deploymentId);
  for (const [name, make] of Object.entries(ACTS)) accesses.set(name, await make());
  bystander = await ofPartner(async () => {});
  await gateway.stop();

  const admin = inject('services').postgresUrl;
  const copy = `${new URL(created.url).pathname.slice(1)}_copy`;
  await withClient(admin, (client) =>
    client.query(`create database ${copy} template ${new URL(created.url).pathname.slice(1)}`),
  );
  copyUrl = urlOf(admin, copy);
  drop = async () => {
    await created.drop();
    await withClient(admin, (client) => client.query(`drop database ${copy} with (force)`));
  };
  gateway = await start();
});
afterAll(async () => {
  await gateway?.stop();
  await drop?.();
  await rm(directory, { recursive: true, force: true });
});

const lines = async () => (await readFile(journal.path, 'utf8')).split('\n').filter((line) => line !== '');

describe('the journal', () => {
  it.each(Object.keys(ACTS))('has a line before the act returns: %s', async (name) => {
    const { take, holds } = accesses.get(name) as Access;
    expect(await holds(gateway.database)).toBe(true);
    const before = (await lines()).length;
    await take();
    const tables = (await lines()).slice(before).map((line) => JSON.parse(line).table_name);
    expect(tables).toContain(name.split(':')[0]);
    expect(await holds(gateway.database)).toBe(false);
  });

  it('contains no secret and no e-mail address', async () => {
    const text = await readFile(journal.path, 'utf8');
    expect(text).not.toContain('@example.com');
    expect(text).not.toMatch(/secret_hash"\s*:/);
    expect(text).not.toMatch(/(password_hash|totp_secret|recovery_codes|token_hash)"\s*:/);
  });

  it('has no line for an act that was rolled back', async () => {
    const access = await ofPartner(async () => {});
    const before = await lines();
    await expect(
      gateway.database.transaction(async (sql) => {
        await sql.query({ text: `update api_keys set revoked_at = now(), revoked_by = 'x' where revoked_at is null` });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await lines()).toEqual(before);
    expect(await access.holds(gateway.database)).toBe(true);
  });

  it('fails an act whose line cannot be written, although the act is committed', async () => {
    const fullJournal = await RevocationJournal.open('/dev/full');
    const full = await openDatabase({ url: gateway.databaseUrl, journal: fullJournal });
    try {
      const { key } = await makePartner(gateway);
      await expect(revokeKey(full, key.id, operator)).rejects.toMatchObject({ code: 'service_unavailable' });
      expect(await exists('select from api_keys where id = $1 and revoked_at is not null', key.id)(full)).toBe(true);
      // The gateway that follows the log writes the missing line; later tests need a journal that no longer grows.
      await expect.poll(() => readFile(journal.path, 'utf8')).toContain(key.id);
    } finally {
      await full.close();
    }
  });
});

it('the acts above cover every table that gives access', async () => {
  const rows = await gateway.database.query<{ table: string }>({
    text: `select distinct tgrelid::regclass::text as table from pg_trigger where tgname like '%\\_access\\_changed'`,
  });
  const named = new Set(Object.keys(ACTS).map((name) => name.split(':')[0]));
  expect(rows.map(({ table }) => table).sort()).toEqual([...named].sort());
});

describe('an earlier copy of the database', () => {
  it('is not served without a journal, or with an empty one', async () => {
    const bare = await openDatabase({ url: copyUrl });
    const empty = await RevocationJournal.open(join(directory, 'empty'));
    const without = await openDatabase({ url: copyUrl, journal: empty });
    try {
      await expect(requireServable(bare)).rejects.toThrow(UnconfirmedDatabase);
      await expect(requireServable(without)).rejects.toThrow(UnconfirmedDatabase);
    } finally {
      await bare.close();
      await without.close();
    }
  });

  it('is not served if a line of the journal cannot be read', async () => {
    const damaged = await RevocationJournal.open(join(directory, 'damaged'));
    await appendFile(damaged.path, `${await readFile(journal.path, 'utf8')}{"id":`);
    const database = await openDatabase({ url: copyUrl, journal: damaged });
    try {
      await expect(requireServable(database)).rejects.toThrow(UnconfirmedDatabase);
    } finally {
      await database.close();
    }
  });

  it('has all revoked access active until the journal is applied, then none of it; other access stays', async () => {
    const database = await openDatabase({ url: copyUrl, journal });
    try {
      const held = async () => {
        const names: string[] = [];
        for (const [name, { holds }] of accesses) if (await holds(database)) names.push(name);
        return names;
      };
      await expect(bystander.holds(database)).rejects.toMatchObject({ code: '55R01' });
      // Confirms the place without applying the journal, so that the copy can be read.
      await confirmPlace(database);
      expect(await held()).toEqual([...accesses.keys()]);
      const first = await requireServable(database);
      expect(first.repeated).toBeGreaterThanOrEqual(accesses.size);
      expect(await held()).toEqual([]);
      expect(await bystander.holds(database)).toBe(true);
      expect((await requireServable(database)).repeated).toBe(0);
    } finally {
      await database.close();
    }
  });
});

/** Columns of the tables that give access whose change counts as a revocation; all others are silent columns. */
const COUNTED: Record<string, string[]> = {
  api_keys: [
    'allowed_networks',
    'environment',
    'expires_at',
    'firm_id',
    'id',
    'lineage_id',
    'revoked_at',
    'scopes',
    'secret_hash',
  ],
  firms: ['id', 'plan', 'plan_active'],
  firm_invitations: ['email', 'ended_at', 'firm_id', 'id', 'outcome'],
  grants: ['client_id', 'expires_at', 'filter', 'id', 'lineage_id', 'scopes', 'status'],
  plant_tokens: ['account_id', 'expires_at', 'id', 'revoked_at', 'token_hash'],
  portal_accounts: ['email', 'id', 'two_factor_enabled'],
  portal_credentials: ['account_id', 'id', 'password_hash', 'provider', 'subject'],
  portal_passkeys: ['account_id', 'credential_id', 'id', 'public_key'],
  portal_second_factors: ['account_id', 'id', 'recovery_codes', 'totp_secret', 'verified'],
  portal_sessions: ['account_id', 'id', 'provider', 'session_token'],
  portal_verifications: ['id', 'lookup_key'],
  service_tokens: ['expires_at', 'id', 'revoked_at', 'role', 'token_hash'],
  // A member's role and removal have a separate trigger (users_access_narrowed): a higher role takes nothing away.
  users: ['deleted_at', 'email', 'environment', 'firm_id', 'id', 'role', 'test_firm_id'],
};

it('every column of a table that gives access is listed as one that counts, or is silent', async () => {
  const rows = await gateway.database.query<{ table: string; definition: string; columns: string[] }>({
    text: `select tgrelid::regclass::text as table, pg_get_triggerdef(t.oid) as definition,
        array(select attname::text from pg_attribute a where a.attrelid = tgrelid and attnum > 0 and not attisdropped) as columns
      from pg_trigger t where tgname like '%\\_access\\_changed'`,
  });
  const counted = rows.map(({ table, definition, columns }) => {
    const silent = /'\{([a-z_,]+)\}'/.exec(definition)?.[1]?.split(',') ?? [];
    return [table, columns.filter((column) => !silent.includes(column)).sort()];
  });
  expect(Object.fromEntries(counted)).toEqual(COUNTED);
});
