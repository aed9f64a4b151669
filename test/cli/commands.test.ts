// The commands for firms, users, keys, grants and tokens: one JSON value on standard output, messages on standard
// error, and the exit code.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readKeySecret, readToken } from '#auth/key-format.ts';
import { newId } from '#core/ids.ts';
import { SCOPES } from '#core/scopes.ts';
import { openDatabase } from '#database/database.ts';
import { portico, runHere } from '#test/cli/portico.ts';
import { createDatabase, type TestDatabase } from '#test/support/database.ts';

let target: TestDatabase;
let env: { DATABASE_URL: string };
beforeAll(async () => {
  target = await createDatabase();
  env = { DATABASE_URL: target.url };
});
afterAll(() => target?.drop());

/** Runs a command that must succeed; returns its JSON. */
async function json(...words: string[]) {
  const { code, stdout, stderr } = await runHere(env, ...words, '--json');
  expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
}

/** Runs a command that must fail; returns its standard error. */
async function fails(...words: string[]): Promise<string> {
  const outcome = await runHere(env, ...words, '--json');
  expect(outcome.code, words.join(' ')).toBe(1);
  const { error, ...rest } = JSON.parse(outcome.stdout);
  expect(rest).toEqual({});
  expect(Object.keys(error)).toEqual(['code', 'message']);
  expect(outcome.stderr).toBe(`portico: ${error.message}\n`);
  expect(outcome.stderr, 'no stack trace').not.toContain('    at ');
  return outcome.stderr;
}

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const client = ['--role', 'client', '--environment', 'sandbox', '--currency', 'EUR'];

describe('an operator', () => {
  let firm: string;
  let user: string;
  let key: string;
  let grant: string;

  it('is told to migrate first, with the command to run', async () => {
    const { code, stderr } = await portico(env, 'key', 'list', '--json');
    expect([code, stderr]).toEqual([1, await fails('key', 'list')]);
    expect(stderr).toContain('portico migrate');
    expect((await json('migrate')).applied).not.toEqual([]);
  });

  it('creates a firm, limits it, and creates its users', async () => {
    const created = await json('firm', 'create', '--name', 'Hall & Sons', '--plan', 'enterprise', '--tier', 'elevated');
    expect(created).toMatchObject({ name: 'Hall & Sons', plan: 'enterprise', plan_active: true, tier: 'elevated' });
    firm = created.id;
    expect(created.request_limit).toBeNull();
    const limited = await json('firm', 'limit', '--firm', firm, '--per-minute', '500', '--reason', 'a trial');
    expect(limited).toMatchObject({ id: firm, request_limit: 500, tier: 'elevated' });
    expect(await json('firm', 'limit', '--firm', firm, '--none', '--reason', 'x')).toMatchObject({
      request_limit: null,
    });
    expect((await portico(env, 'firm', 'limit', '--firm', firm, '--reason', 'x')).code).toBe(2);
    expect(await fails('firm', 'limit', '--firm', newId('firm'), '--none', '--reason', 'x')).toContain(
      'There is no firm',
    );
    const own = newId('user');
    const words = ['user', 'create', '--email', 'ada@example.com', '--name', 'Ada', '--id', own, ...client];
    expect(await json(...words)).toEqual({
      ...{ id: own, email: 'ada@example.com', name: 'Ada', role: 'client', firm_id: null, firm_role: null },
      ...{ environment: 'sandbox', reporting_currency: 'EUR', created_at: TIMESTAMP },
    });
    user = own;
    const member = ['--role', 'firm_member', '--firm', firm];
    expect(await json('user', 'create', '--email', 'ada@example.com', '--name', 'Ada', ...member)).toMatchObject({
      ...{ role: 'firm_member', firm_id: firm, environment: null, reporting_currency: null },
    });
    expect(await fails(...words)).toContain(own);
    expect(await fails('user', 'create', '--email', 'ADA@example.com', '--name', 'A', ...client)).toContain('e-mail');
  });

  it('changes, resets and removes members, recording each act, but cannot remove the last administrator', async () => {
    const { id: firm } = await json('firm', 'create', '--name', 'Team');
    const create = (email: string, ...more: string[]) =>
      json('user', 'create', '--email', email, '--name', 'Ada', '--role', 'firm_member', '--firm', firm, ...more);
    const ada = await create('grace@example.com');
    const bob = await create('bob@example.com', '--firm-role', 'auditor');
    expect([ada.firm_role, bob.firm_role]).toEqual(['administrator', 'auditor']);
    expect(await fails('user', 'firm-role', 'grace@example.com', '--role', 'developer')).toContain('administrator');
    expect(await fails('user', 'remove-member', ada.id)).toContain('administrator');
    expect(await json('user', 'firm-role', bob.id, '--role', 'administrator')).toMatchObject({ firm_id: firm });
    expect(await json('user', 'remove-member', 'grace@example.com')).toMatchObject({ id: ada.id, removed: true });
    expect(await fails('user', 'remove-member', ada.id)).toContain('no firm member');

    expect(await fails('user', 'reset-factor', bob.id, '--reason', 'Lost')).toContain('has no account yet');
    const database = await openDatabase({ url: env.DATABASE_URL });
    const run = (text: string) => database.query<Record<string, unknown>>({ text });
    await run(
      `insert into portal_accounts (id, email, name, two_factor_enabled) values ('acc_b', 'bob@example.com', 'Bob', true)`,
    );
    const reset = ['user', 'reset-factor', 'bob@example.com', '--reason'];
    expect(await json(...reset, 'Lost; called back')).toEqual({ email: 'bob@example.com', reset: true });
    expect(await fails(...reset, 'Again')).toContain('no second factor');
    expect((await portico(env, 'user', 'reset-factor', bob.id)).code).toBe(2);
    const events = await run(`select action, actor, details from account_events`);
    expect(events).toMatchObject([{ action: 'factor_reset', details: { reason: 'Lost; called back' } }]);
    const record = await run(`select action from firm_events where firm_id = '${firm}' order by id`);
    expect(record.map(({ action }) => action)).toEqual([
      ...['member_create', 'member_create', 'member_role', 'member_remove', 'factor_reset'],
    ]);
    await database.close();
  });

  it('finds a member by an address with which they were once removed from another firm', async () => {
    const create = async (name: string, ...admins: string[]) => {
      const { id } = await json('firm', 'create', '--name', name);
      for (const email of admins)
        await json('user', 'create', '--email', email, '--name', name, '--role', 'firm_member', '--firm', id);
      return id;
    };
    await create('Former', 'moved@example.com', 'former@example.com');
    await json('user', 'remove-member', 'moved@example.com');
    const present = await create('Present', 'moved@example.com', 'present@example.com');
    expect(await json('user', 'firm-role', 'moved@example.com', '--role', 'auditor')).toMatchObject({
      firm_id: present,
      firm_role: 'auditor',
    });
    expect(await json('user', 'remove-member', 'Moved@example.com')).toMatchObject({ firm_id: present, removed: true });
  });

  it('creates a key, whose secret is shown once', async () => {
    const words = ['--firm', firm, '--environment', 'sandbox', '--scopes', 'valuation,registry', '--expires', '30m'];
    const created = await json('key', 'create', '--name', 'Main', ...words);
    const { id, secret, ...rest } = created;
    key = id;
    expect(readKeySecret(secret)?.environment).toBe('sandbox');
    expect(rest).toMatchObject({
      ...{ firm_id: firm, name: 'Main', environment: 'sandbox', scopes: ['registry', 'valuation'], tier: 'sandbox' },
      ...{ prefix: secret.slice(0, 12), last_four: secret.slice(-4), status: 'active', expires_at: TIMESTAMP },
    });
    expect(Date.parse(rest.expires_at) - Date.parse(rest.created_at)).toBeGreaterThan(29 * 60_000);
    const listed = await json('key', 'list', '--firm', firm);
    expect(listed).toEqual([rest].map((entry) => ({ id, ...entry })));
    expect(JSON.stringify(listed)).not.toContain(secret);
  });

  it('creates, changes and revokes a grant', async () => {
    const pair = ['--key', key, '--client', user];
    const filter = JSON.stringify({ type: 'category', categories: ['WT', 'AR'] });
    const created = await json('grant', 'create', ...pair, '--scopes', 'all', '--filter', filter, '--expires', '24h');
    expect(created).toMatchObject({
      ...{ key_id: key, firm_id: firm, client_id: user, status: 'active', scopes: SCOPES, expires_at: TIMESTAMP },
      filter: { type: 'category', categories: ['AR', 'WT'] },
    });
    grant = created.id;
    expect(await fails('grant', 'create', ...pair, '--scopes', 'all')).toContain('already');
    const changed = await json('grant', 'update', grant, '--scopes', 'registry', '--expires', 'never');
    expect(changed).toMatchObject({ scopes: ['registry'], expires_at: null, filter: created.filter });
    expect(await json('grant', 'list', '--client', user)).toEqual([changed]);
    const revoked = await json('grant', 'revoke', grant);
    expect(revoked).toMatchObject({ id: grant, status: 'revoked', ended_at: TIMESTAMP });
    expect(await json('grant', 'revoke', grant)).toEqual(revoked);
    expect(await fails('grant', 'update', grant, '--scopes', 'registry')).toContain('revoked');
  });

  it('revokes a grant at the same time as another operator', async () => {
    const { id } = await json('grant', 'create', '--key', key, '--client', user, '--scopes', 'all');
    const database = await openDatabase({ url: target.url });
    const commands = await database.transaction(async (sql) => {
      await sql.query({ text: 'select from grants where id = $1 for update', values: [id] });
      const begun = [1, 2].map(() => portico(env, 'grant', 'revoke', id, '--json'));
      const waits = `select count(*)::int as waits from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await expect.poll(() => database.query({ text: waits })).toEqual([{ waits: 2 }]);
      return begun;
    });
    const [one, other] = await Promise.all(commands);
    await database.close();
    expect(one).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"revoked"') });
    expect(other).toEqual(one);
  });

  it('changes a key, and reads its use', async () => {
    const [before] = await json('key', 'list', '--firm', firm);
    const networks = ['--networks', '203.0.113.7/24, 2001:db8::/32'];
    const changed = await json('key', 'update', key, '--note', 'On ledger-2', '--expires', '24h', ...networks);
    expect(changed).toEqual({
      ...before,
      ...{ note: 'On ledger-2', expires_at: TIMESTAMP, allowed_networks: ['203.0.113.0/24', '2001:db8::/32'] },
    });
    const undone = ['--note', 'none', '--expires', 'never', '--networks', 'none'];
    expect(await json('key', 'update', key, ...undone)).toEqual({ ...before, expires_at: null });
    expect(await json('key', 'use', key, '--days', '7')).toEqual([]);
    await json('key', 'update', key, '--expires', '24h');
    const bound = { ...env, MAX_KEY_LIFETIME_DAYS: '30' };
    for (const expires of ['never', '31d'])
      expect((await runHere(bound, 'key', 'update', key, '--expires', expires)).code).toBe(1);
  });

  it('rotates, retiers and revokes a key', async () => {
    const rotated = await json('key', 'rotate', key, '--overlap', '0s');
    expect(readKeySecret(rotated.secret)?.environment).toBe('sandbox');
    expect(rotated).toMatchObject({
      name: 'Main',
      predecessor: { id: key, status: 'expired', rotated_to: rotated.id },
    });
    expect(await fails('key', 'rotate', key)).toContain('rotated already');
    expect(await json('key', 'tier', rotated.id, 'elevated')).toMatchObject({ tier: 'elevated' });
    expect(await json('key', 'tier', rotated.id, 'enterprise', '--reason', 'a trial')).toMatchObject({
      tier: 'enterprise',
    });
    expect(await json('key', 'tier', rotated.id, 'default', '--reason', 'over')).toMatchObject({
      tier: 'sandbox',
      tier_override: null,
    });
    const revoked = await json('key', 'revoke', rotated.id);
    expect(revoked).toMatchObject({ status: 'revoked', revoked_by: expect.stringMatching(/^operator:./) });
    expect(await json('key', 'revoke', rotated.id)).toEqual(revoked);
  });

  it('puts limits in shadow mode, lists them, and takes them out', async () => {
    const { id } = await json(
      'key',
      'create',
      '--firm',
      firm,
      '--name',
      'Second',
      '--environment',
      'production',
      '--scopes',
      'all',
    );
    const shadow = (...words: string[]) => json('limits', 'shadow', ...words);
    expect(await shadow()).toEqual([]);
    const shared = { ends_at: null, since: TIMESTAMP, actor: expect.stringMatching(/./) };
    const ofTier = { ...shared, tier: 'elevated', key_id: null, key_name: null, reason: 'new limits' };
    const ofKey = { ...shared, tier: null, key_id: id, key_name: 'Second', reason: 'a migration' };
    expect(await shadow('--key', id, '--reason', 'a migration')).toEqual([ofKey]);
    expect(await shadow('--tier', 'elevated', '--reason', 'new limits')).toEqual([ofTier, ofKey]);
    expect(await shadow()).toEqual([ofTier, ofKey]);
    const { stdout } = await runHere(env, 'limits', 'shadow');
    expect(stdout).toMatch(
      new RegExp(`^LIMITS OF .*\\ntier elevated .*new limits\\nkey ${id} \\(Second\\) .*a migration\\n$`),
    );
    const off = await runHere(env, 'limits', 'shadow', '--tier', 'elevated', '--off', '--reason', 'done');
    expect(off).toMatchObject({ code: 0, stdout: 'The limits of the tier elevated are out of shadow mode.\n' });
    expect(await shadow('--key', id, '--off', '--reason', 'done')).toEqual([]);
    expect(await fails('limits', 'shadow', '--key', newId('key'), '--reason', 'x')).toContain('There is no key');
  });

  it.each([
    ['plant', 'account', 'rose'],
    ['service', 'role', 'ops'],
  ] as const)('creates, lists and revokes a %s token', async (kind, option, value) => {
    const command = `${kind}-token`;
    const { token, ...created } = await json(command, 'create', `--${option}`, value);
    expect(readToken(kind, token)).not.toBeNull();
    expect(created).toMatchObject({ [option]: value, status: 'active', expires_at: null });
    expect(await json(command, 'list')).toEqual([created]);
    expect(await json(command, 'revoke', created.id)).toMatchObject({ status: 'revoked', revoked_at: TIMESTAMP });
  });

  it('reads the access record, newest first', async () => {
    const database = await openDatabase({ url: target.url });
    await database.query({
      text: `insert into access_records (request_id, at, firm_id, key_id, client_id, endpoint, registry_id, scopes, status)
        select 'req_' || lpad(n::text, 26, '0'), timestamptz '2026-01-15T10:00:00Z' + n * interval '1 minute', $1, $2, $3,
          'GET /api/v1/assets', null, 3, 200 from generate_series(1, 3) n`,
      values: [firm, key, user],
    });
    await database.close();
    const since = ['--since', '2026-01-15T11:02:00+01:00'];
    expect((await json('access', 'list', '--client', user)).map((row: { at: string }) => row.at)).toEqual([
      ...['2026-01-15T10:03:00.000Z', '2026-01-15T10:02:00.000Z', '2026-01-15T10:01:00.000Z'],
    ]);
    const newest = await runHere(env, 'access', 'list', '--client', user, ...since, '--limit', '1', '--json');
    expect(JSON.parse(newest.stdout)).toEqual([
      {
        ...{ at: '2026-01-15T10:03:00.000Z', firm_id: firm, key_id: key, endpoint: 'GET /api/v1/assets' },
        ...{
          registry_id: null,
          scopes: ['registry', 'valuation'],
          status: 200,
          request_id: `req_${'3'.padStart(26, '0')}`,
        },
        ...{ tool_role: null, tool_id: null, contents: 'unrecorded', items: null, removed_items: [] },
        ...{ disclosed_scopes: null, includes: null, version: null, checkpoint: null },
      },
    ]);
    expect(await fails('access', 'list', '--client', newId('user'))).toContain('no client');
  });

  it.each([
    ['2', ['The newest 2: there may be older ones; raise --limit or set --until.']],
    ['4', []],
  ])('with --limit %s, access list says whether there may be older calls', async (limit, notes) => {
    const { code, stderr } = await runHere(env, 'access', 'list', '--client', user, '--limit', limit);
    expect({ code, notes: stderr.split('\n').filter((line) => line !== '') }).toEqual({ code: 0, notes });
  });

  it('reads tables and sentences without --json', async () => {
    const list = await portico(env, 'key', 'list');
    expect(list).toEqual(await runHere(env, 'key', 'list'));
    expect(list).toMatchObject({ code: 0, stderr: '' });
    const [headings = '', first = ''] = list.stdout.split('\n');
    expect(first.indexOf(firm)).toBe(headings.indexOf('FIRM'));
    const words = ['--firm', firm, '--name', 'Other', '--environment', 'production', '--scopes', 'all'];
    const created = await runHere(env, 'key', 'create', ...words);
    expect(created.stdout).toMatch(/shown only now[\s\S]*sk_live_[0-9A-Za-z]{38}/);
    const [, , id = ''] = created.stdout.split(/[ .]/);
    expect((await runHere(env, 'grant', 'list', '--key', id)).stdout).toBe('There are no grants.\n');
    await runHere(env, 'access', 'maintain');
    const [again, , month] = (await runHere(env, 'access', 'maintain')).stdout.split('\n');
    expect([again, month]).toEqual(['Nothing was to be done.', expect.stringMatching(/^access_calls_\S+ .*Z$/)]);
  });

  it('reads why a command failed', async () => {
    const { id: lapsed } = await json('firm', 'create', '--name', 'No plan');
    const words = ['--name', 'N', '--environment', 'sandbox', '--scopes', 'all'];
    expect(await fails('key', 'create', '--firm', lapsed, ...words)).toContain('plan');
    expect(await fails('key', 'create', '--firm', newId('firm'), ...words)).toContain('no firm');
    const full = await runHere({ ...env, MAX_KEYS_PER_FIRM: '1' }, 'key', 'create', '--firm', firm, ...words);
    expect(full).toMatchObject({ code: 1, stdout: '' });
    expect(full.stderr).toContain('The firm already has 1 usable keys, the maximum.');
    expect(await fails('key', 'rotate', newId('key'))).toContain('no key');
    expect(await json('key', 'list', '--firm', lapsed)).toEqual([]);
    expect(await fails('key', 'list', '--firm', newId('firm'))).toContain('There is no firm frm_');
    expect(await fails('grant', 'list', '--firm', newId('firm'))).toContain('There is no firm frm_');
    expect(await fails('grant', 'list', '--client', newId('user'))).toContain('There is no client usr_');
    expect(await fails('grant', 'list', '--key', newId('key'))).toContain('There is no key key_');
    expect(await fails('service-token', 'revoke', newId('service_token'))).toContain('no service token');
  });
});
