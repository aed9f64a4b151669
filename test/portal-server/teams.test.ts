// A firm's team: administrators invite, change and remove members with effect from the next request. Each act is on the
// firm's record, and none weakens the account of a person who is also a client.
import { URI } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FirmRole } from '#core/firm-roles.ts';
import { newId } from '#core/ids.ts';
import { createLedger } from '#gateway/ledger/ledger.ts';
import { findAccountOfUser } from '#repositories/accounts/people.ts';
import type { Firm } from '#repositories/firms.ts';
import { notifyNearLimits } from '#repositories/notices/noticed.ts';
import type { User } from '#repositories/users.ts';
import { appended } from '#test/support/appended.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { freePort } from '#test/support/ports.ts';
import { makeFirm, makeKey } from '#test/support/scenario.ts';
import { Browser, expectRefusal, type Got } from './browser.ts';
import { makeMember, makeOwner, newEmail, PASSWORD, signedIn } from './people.ts';
import { openPostOffice, type PostOffice } from './post-office.ts';

let post: PostOffice;
let gateway: TestGateway;
let firm: Firm;
let admin: User;
let browser: Browser;

beforeAll(async () => {
  post = await openPostOffice();
  const port = String(await freePort());
  const reached = { PORT: port, PORTAL_URL: `http://127.0.0.1:${port}` };
  const env = { ...reached, TRUST_PROXY: '127.0.0.1', SMTP_URL: post.url, MAIL_FROM: 'portico@example.com' };
  gateway = await startGateway({ env, mailIntervalMs: 100 });
});
afterAll(async () => {
  await gateway?.stop();
  await post?.close();
});
beforeEach(async () => {
  firm = await makeFirm(gateway.database, { name: 'Mill & Sons' });
  admin = await makeMember(gateway.database, firm);
  browser = await signedIn(gateway.url, admin);
});

async function colleague(role: FirmRole): Promise<User> {
  const member = await makeMember(gateway.database, firm);
  await gateway.database.query({
    text: 'update users set firm_role = $2 where id = $1',
    values: [member.id, role],
  });
  return member;
}

const data = ({ status, body, text }: Got) => {
  expect(status, text).toBe(200);
  return body.data;
};
const team = async () => data(await browser.operation('Team'));
const record = async (of = browser): Promise<{ action: string; subject: string; details: Record<string, unknown> }[]> =>
  data(await of.operation('FirmEvents')).nodes;

/** The text of the mail to this address that contains the phrase, after `skip` earlier ones. */
async function mailTo(email: string, phrase: string, skip = 0): Promise<string> {
  const found = () => post.letters.filter(({ to, text }) => to.includes(email) && text.includes(phrase))[skip];
  await expect.poll(found, { timeout: 60_000 }).toBeDefined();
  return found()?.text ?? '';
}

/** Invites; returns the token of the link in the mail, which comes after `skip` earlier ones. */
async function invite(email: string, role: FirmRole = 'developer', skip = 0): Promise<string> {
  data(await browser.operation('InviteMember', { email, name: 'Nora New', role }));
  const text = await mailTo(email.toLowerCase(), 'Mill & Sons invites you to Portico', skip);
  return /\/portal\/join#([\w-]+)/.exec(text)?.[1] ?? '';
}

const join = (token: string, more: Record<string, unknown> = {}) =>
  new Browser(gateway.url).post('/portal/auth/join', { token, name: 'Nora New', password: PASSWORD, ...more });

describe('an invitation', () => {
  it('is mailed, can be read with its token, and makes a member who signs in with the chosen password', async () => {
    const email = newEmail();
    const token = await invite(email.toUpperCase());
    expect((await team()).invitations).toMatchObject([{ email, role: 'developer', expired: false }]);
    const read = await new Browser(gateway.url).post('/portal/auth/invitation', { token });
    expect(read.body).toEqual({
      ...{ firm: 'Mill & Sons', inviter: 'Member', email, name: 'Nora New', role: 'developer' },
      ...{ way: 'new_password', provider: null },
    });
    expectRefusal(await join(token, { password: 'short' }), 400, 'invalid_parameter');
    expect((await join(token)).body).toEqual({ email, way: 'new_password' });
    expectRefusal(await join(token), 400, 'invalid_link');

    const viewer = data(await (await signedIn(gateway.url, { email })).operation('Viewer'));
    expect(viewer).toMatchObject({ role: 'firm_member', firmRole: 'developer', firm: { id: firm.id } });
    expect((await team()).invitations).toEqual([]);
    expect((await record()).map(({ action }) => action)).toEqual(['member_join', 'member_invite']);
  });

  it('is mailed without the names that the inviter chose, which are shown on the page only', async () => {
    const email = newEmail();
    const [lure, other] = ['Your account is blocked, see evil.example', 'Portico Security, evil2.example'];
    await gateway.database.query({ text: 'update users set name = $2 where firm_id = $1', values: [firm.id, other] });
    data(await browser.operation('InviteMember', { email, name: lure, role: 'developer' }));
    const text = await mailTo(email, 'Mill & Sons invites you to Portico');
    expect(text).not.toMatch(/evil2?\.example|blocked|Security/);
    expect(text).toContain('Hello,');
    const token = /\/portal\/join#([\w-]+)/.exec(text)?.[1] ?? '';
    const { body } = await new Browser(gateway.url).post('/portal/auth/invitation', { token });
    expect(body).toMatchObject({ inviter: other, name: lure });
  });

  it('to a person with an account takes no new password', async () => {
    const owner = await makeOwner(gateway.database);
    const token = await invite(owner.email);
    expect((await join(token, { password: 'another long enough password' })).body.way).toBe('password');
    const me = (await (await signedIn(gateway.url, owner)).get('/portal/auth/me')).body;
    expect(me.identities.map(({ role }: { role: string }) => role).sort()).toEqual(['client', 'firm_member']);
  });

  it('gives no identity before it is accepted, and is invalid once it is repeated, expired or withdrawn', async () => {
    const owner = await makeOwner(gateway.database);
    const first = await invite(owner.email);
    expect((await (await signedIn(gateway.url, owner)).get('/portal/auth/me')).body.identities).toHaveLength(1);
    const second = await invite(owner.email, 'auditor', 1);
    expectRefusal(await join(first), 400, 'invalid_link');
    await gateway.database.query({ text: `update firm_invitations set expires_at = now() - interval '1 second'` });
    expectRefusal(await join(second), 400, 'invalid_link');
    const third = await invite(owner.email, 'auditor', 2);
    const [{ id }] = (await team()).invitations;
    data(await browser.operation('WithdrawInvitation', { id }));
    expectRefusal(await join(third), 400, 'invalid_link');
    expect((await team()).members).toHaveLength(1);
  });

  it.each([
    ['removed', (id: string) => browser.operation('RemoveMember', { id })],
    ['made a developer', (id: string) => browser.operation('SetMemberRole', { id, role: 'developer' })],
  ])('is invalid once the administrator who sent it was %s', async (_, end) => {
    const inviter = await colleague('administrator');
    const email = newEmail();
    const session = await signedIn(gateway.url, inviter);
    data(await session.operation('InviteMember', { email, name: 'Nora New', role: 'administrator' }));
    const [, token = ''] = /\/portal\/join#([\w-]+)/.exec(await mailTo(email, 'invites you to Portico')) ?? [];
    data(await end(inviter.id));
    expectRefusal(await join(token), 400, 'invalid_link');
    expect((await team()).invitations).toEqual([]);
    const [newest] = await record();
    expect(newest).toMatchObject({ action: 'member_invitation_withdraw', details: { email } });
  });

  it('gets the same response for known and unknown addresses', async () => {
    const owner = await makeOwner(gateway.database);
    const answers: unknown[] = [];
    for (const email of [owner.email, newEmail()]) {
      const { body } = await browser.operation('InviteMember', { email, name: 'Nora New', role: 'auditor' });
      answers.push(
        JSON.parse(
          JSON.stringify(body)
            .replaceAll(email, '…')
            .replace(/inv_\w{26}/g, 'inv'),
        ),
      );
    }
    expect(answers[1]).toEqual(answers[0]);
  });

  it('is refused for a member of the firm, and on acceptance only for a member of another', async () => {
    const there = await makeMember(gateway.database, await makeFirm(gateway.database));
    expectRefusal(
      await browser.operation('InviteMember', { email: admin.email, name: 'Me', role: 'auditor' }),
      400,
      'already_exists',
    );
    expectRefusal(await join(await invite(there.email)), 400, 'already_exists');
    expect((await team()).members).toHaveLength(1);
  });

  it('is stored without its token', async () => {
    const token = await invite(newEmail());
    const [{ kept } = { kept: true }] = await gateway.database.query<{ kept: boolean }>({
      text: `select exists (select from notices n where n::text like '%' || $1 || '%')
        or exists (select from firm_invitations i where i::text like '%' || $1 || '%') as kept`,
      values: [token],
    });
    expect(kept).toBe(false);
  });
});

describe('a removed member', () => {
  it('is signed out everywhere at once, and keeps their name in the record', async () => {
    const member = await colleague('developer');
    const [one, two] = [await signedIn(gateway.url, member), await signedIn(gateway.url, member)];
    data(await one.operation('CreateKey', { name: 'New', environment: 'sandbox', scopes: ['registry'] }));
    data(await browser.operation('RemoveMember', { id: member.id }));
    for (const gone of [one, two]) expectRefusal(await gone.operation('Viewer'), 401, 'not_signed_in');
    expectRefusal(
      await new Browser(gateway.url).post('/portal/auth/sign-in/email', { email: member.email, password: PASSWORD }),
      403,
      'forbidden',
    );
    const [removal, creation] = await record();
    expect(removal).toMatchObject({ action: 'member_remove', subject: member.id, details: { email: member.email } });
    // Only members of the firm have an `actorId`.
    expect(creation).toMatchObject({ action: 'key_create', actor: { name: 'Member' }, actorId: member.id });
    expect((await team()).members).toHaveLength(1);
  });

  it('keeps their other identities, and becomes the same member again by a new invitation', async () => {
    const owner = await makeOwner(gateway.database);
    await join(await invite(owner.email));
    const { id } = (await team()).members.find(({ email }: User) => email === owner.email);
    const session = await signedIn(gateway.url, owner);
    expect((await session.post('/portal/auth/act-as', { user_id: owner.id })).status).toBe(200);
    data(await browser.operation('RemoveMember', { id }));
    expect(data(await session.operation('Viewer')).role).toBe('client');
    await join(await invite(owner.email, 'auditor', 1));
    expect((await team()).members).toContainEqual(expect.objectContaining({ id, role: 'auditor' }));
  });

  it.each([
    ['the same firm', () => browser],
    [
      'another firm',
      async () => signedIn(gateway.url, await makeMember(gateway.database, await makeFirm(gateway.database))),
    ],
  ])('chooses a new password when invited by %s: another person may read their address now', async (_, inviting) => {
    const member = await colleague('developer');
    data(await browser.operation('RemoveMember', { id: member.id }));
    data(
      await (await inviting()).operation('InviteMember', { email: member.email, name: 'Nora New', role: 'auditor' }),
    );
    const [, token = ''] = /\/portal\/join#([\w-]+)/.exec(await mailTo(member.email, 'invites you to Portico')) ?? [];
    const { body } = await new Browser(gateway.url).post('/portal/auth/invitation', { token });
    expect(body.way).toBe('new_password');
    const password = 'quite another long password';
    expect((await join(token, { password })).body.way).toBe('new_password');
    const signIn = (given: string) =>
      new Browser(gateway.url).post('/portal/auth/sign-in/email', { email: member.email, password: given });
    expectRefusal(await signIn(PASSWORD), 401, 'invalid_credentials');
    expect((await signIn(password)).status).toBe(200);
  });

  it('gets no more notices', async () => {
    const member = await colleague('developer');
    const { id } = await makeKey(gateway.database, firm);
    data(await browser.operation('RemoveMember', { id: member.id }));
    await notifyNearLimits(gateway.database, [
      { keyId: id, refused: true, of: 'key', limit: 60, at: new Date().toISOString() },
    ]);
    const notices = await gateway.database.query<{ recipient: string }>({
      text: `select recipient from notices where kind = 'firm_limit_refused' and subject = $1`,
      values: [id],
    });
    expect(notices).toEqual([{ recipient: admin.id }]);
  });
});

describe('a role', () => {
  it('takes effect with the next request, in open sessions as well', async () => {
    const member = await colleague('developer');
    const session = await signedIn(gateway.url, member);
    const wish = { name: 'New', environment: 'sandbox', scopes: ['registry'] };
    data(await session.operation('CreateKey', wish));
    data(await browser.operation('SetMemberRole', { id: member.id, role: 'auditor' }));
    expectRefusal(await session.operation('CreateKey', wish), 403, 'forbidden');
    expect(data(await session.operation('Viewer')).firmRole).toBe('auditor');
    data(await browser.operation('SetMemberRole', { id: member.id, role: 'administrator' }));
    data(await session.operation('SetMemberRole', { id: admin.id, role: 'developer' }));
    expectRefusal(await browser.operation('SetMemberRole', { id: member.id, role: 'auditor' }), 403, 'forbidden');
    expect((await record()).slice(0, 3).map(({ details }) => [details.from, details.to])).toEqual([
      ['administrator', 'developer'],
      ['auditor', 'administrator'],
      ['developer', 'auditor'],
    ]);
  });

  it('of the last administrator cannot be taken away, also if two leave concurrently', async () => {
    const member = await colleague('developer');
    for (const [operation, variables] of [
      ['SetMemberRole', { id: admin.id, role: 'developer' }],
      ['RemoveMember', { id: admin.id }],
    ] as const)
      expectRefusal(await browser.operation(operation, variables), 409, 'last_administrator');
    data(await browser.operation('SetMemberRole', { id: member.id, role: 'administrator' }));
    const other = await signedIn(gateway.url, member);
    const both = await Promise.all([
      browser.operation('RemoveMember', { id: admin.id }),
      other.operation('RemoveMember', { id: member.id }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

async function turnOnCodes(session: Browser): Promise<void> {
  const { body } = await session.post('/portal/auth/two-factor/enable', { password: PASSWORD });
  const code = (URI.parse(body.totpURI) as { generate(): string }).generate();
  expect((await session.post('/portal/auth/two-factor/verify-totp', { code })).status).toBe(200);
}

describe('a second factor that the firm requires', () => {
  it('is required of open sessions at once; setting it up opens the portal, and turning it off closes it', async () => {
    const session = await signedIn(gateway.url, await colleague('auditor'));
    data(await browser.operation('RequireSecondFactor', { required: true }));
    for (const one of [session, browser]) {
      expectRefusal(await one.operation('Viewer'), 403, 'second_factor_required');
      expect((await one.get('/portal/auth/me')).body.second_factor_missing).toBe(true);
    }
    for (const file of ['firm-record.csv', 'access-record.csv', 'ledger.json', 'ledger.ndjson'])
      expectRefusal(await session.get(`/portal/${file}`), 403, 'second_factor_required');
    await turnOnCodes(session);
    expect((await session.get('/portal/auth/me')).body.second_factor_missing).toBe(false);
    data(await session.operation('Viewer'));
    expect((await session.post('/portal/auth/two-factor/disable', { password: PASSWORD })).status).toBe(200);
    expectRefusal(await session.operation('Viewer'), 403, 'second_factor_required');
  });

  it('can be neither removed nor joined by another with the password alone', async () => {
    const member = await colleague('developer');
    const session = await signedIn(gateway.url, member);
    const { id: accountId = '' } = (await findAccountOfUser(gateway.database, member.id)) ?? {};
    const passkey = newId('passkey');
    await gateway.database.query({
      text: `insert into portal_passkeys (id, account_id, name, credential_id, public_key) values ($1, $2, 'Key', $1, '')`,
      values: [passkey, accountId],
    });
    const attempts = [
      () => session.post('/portal/auth/two-factor/enable', { password: PASSWORD }),
      () => session.post('/portal/auth/two-factor/verify-totp', { code: '123456' }),
      () => session.post('/portal/auth/passkey/begin-adding', { password: PASSWORD }),
      () => session.post('/portal/auth/passkey/add', { name: 'Another', response: '{}' }),
      () => session.post('/portal/auth/remove-passkey', { password: PASSWORD, id: passkey }),
    ];
    data(await browser.operation('RequireSecondFactor', { required: true }));
    for (const attempt of attempts) expectRefusal(await attempt(), 403, 'second_factor_required');
    // If the firm does not require it, the password is enough.
    await gateway.database.query({
      text: 'update firms set second_factor_required = false where id = $1',
      values: [firm.id],
    });
    expect((await attempts[2]?.())?.status).toBe(200);
  });

  it('is required for the firm only: the same session still works as a client', async () => {
    const owner = await makeOwner(gateway.database);
    await join(await invite(owner.email));
    const session = await signedIn(gateway.url, owner);
    data(await browser.operation('RequireSecondFactor', { required: true }));
    expectRefusal(await session.operation('Viewer'), 403, 'second_factor_required');
    expect((await session.post('/portal/auth/act-as', { user_id: owner.id })).status).toBe(200);
    expect(data(await session.operation('Viewer')).role).toBe('client');
  });
});

describe('a reset of a second factor', () => {
  it('ends all sessions, leaves the password valid, and is recorded with its reason', async () => {
    const member = await colleague('developer');
    const session = await signedIn(gateway.url, member);
    await turnOnCodes(session);
    expect((await team()).members).toContainEqual(expect.objectContaining({ id: member.id, authenticatorApp: true }));
    expectRefusal(
      await browser.operation('ResetMemberFactors', { id: member.id, reason: ' ' }),
      400,
      'invalid_parameter',
    );
    data(await browser.operation('ResetMemberFactors', { id: member.id, reason: 'Lost telephone; spoke in person' }));
    expectRefusal(await session.operation('Viewer'), 401, 'not_signed_in');
    data(await (await signedIn(gateway.url, member)).operation('Viewer'));
    const [act] = await record();
    expect(act).toMatchObject({ action: 'factor_reset', details: { reason: 'Lost telephone; spoke in person' } });
    expect(await mailTo(member.email, 'The second factor is off')).toContain('was turned off');
    expectRefusal(
      await browser.operation('ResetMemberFactors', { id: member.id, reason: 'Again' }),
      409,
      'invalid_transition',
    );
  });

  it("is refused for the administrator's own, and for a person who is also a client", async () => {
    const owner = await makeOwner(gateway.database);
    await join(await invite(owner.email));
    const session = await signedIn(gateway.url, owner);
    const { id } = (await team()).members.find(({ email }: User) => email === owner.email);
    // If there is nothing to reset, the refusal does not reveal that the person is a client.
    const member = await colleague('developer');
    for (const one of [id, member.id])
      expectRefusal(
        await browser.operation('ResetMemberFactors', { id: one, reason: 'Lost' }),
        409,
        'invalid_transition',
      );
    await turnOnCodes(session);
    for (const wrong of [id, admin.id])
      expectRefusal(await browser.operation('ResetMemberFactors', { id: wrong, reason: 'Lost' }), 403, 'forbidden');
    data(await session.operation('Viewer'));
  });
});

describe("the firm's record", () => {
  it('has the acts on keys and requests, with filters, in pages and as a file', async () => {
    const { body } = await browser.operation('CreateKey', {
      name: '=1+1',
      environment: 'sandbox',
      scopes: ['registry'],
    });
    const { id } = body.data.key;
    const rotated = data(await browser.operation('RotateKey', { id, overlapSeconds: 0 })).key.id;
    const wish = { keyId: rotated, client: newEmail(), scopes: ['registry'], filter: { type: 'all' } };
    const grant = data(await browser.operation('RequestGrant', wish)).id;
    data(await browser.operation('WithdrawGrant', { id: grant }));
    data(await browser.operation('RevokeKey', { id: rotated }));
    data(await browser.operation('RequireSecondFactor', { required: false }));
    const acts = (await record()).map(({ action, subject }) => [action, subject]);
    expect(acts).toEqual([
      ['key_revoke', rotated],
      ['grant_withdraw', grant],
      ['grant_request', grant],
      ['key_rotate', id],
      ['key_create', id],
    ]);
    const keys = data(await browser.operation('FirmEvents', { group: 'keys', first: 2 }));
    expect(keys.nodes.map(({ action }: { action: string }) => action)).toEqual(['key_revoke', 'key_rotate']);
    const rest = data(await browser.operation('FirmEvents', { group: 'keys', first: 2, after: keys.nextCursor }));
    expect(rest).toMatchObject({ nodes: [{ action: 'key_create', name: '=1+1' }], nextCursor: null });
    expectRefusal(await browser.operation('FirmEvents', { group: 'others' }), 400, 'invalid_parameter');

    const csv = await browser.get('/portal/firm-record.csv?group=keys');
    expect(csv.headers.get('content-disposition')).toMatch(/portico-firm-record-.*\.csv/);
    const [head, ...lines] = csv.text.trim().split('\r\n');
    expect(head).toBe('at,actor,actor_kind,actor_id,group,action,subject,name,details,id,checkpoint');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(`,Member,firm_member,${admin.id},keys,key_revoke,${rotated},'=1+1,`);
    await appended(gateway.database);
    const newest = await createLedger(gateway.database).checkpoint();
    expect(newest).toMatch(/\n— /);
    const ndjson = await browser.get('/portal/firm-record.ndjson');
    const parsed = ndjson.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(parsed.map(({ action }) => action)).toEqual(acts.map(([action]) => action));
    expect(parsed.map(({ checkpoint }) => checkpoint)).toEqual([newest, null, null, null, null]);
    expectRefusal(await browser.get('/portal/firm-record.csv?client=x'), 400, 'unknown_parameter');
  });

  it("is readable by the firm's auditors, but not by other firms or by clients", async () => {
    data(await browser.operation('CreateKey', { name: 'Ours', environment: 'sandbox', scopes: ['registry'] }));
    const auditor = await signedIn(gateway.url, await colleague('auditor'));
    expect(await record(auditor)).toEqual(await record());
    const outsider = await signedIn(gateway.url, await makeMember(gateway.database, await makeFirm(gateway.database)));
    expect(await record(outsider)).toEqual([]);
    expect((await outsider.get('/portal/firm-record.ndjson')).text).toBe('');
    expectRefusal(
      await (await signedIn(gateway.url, await makeOwner(gateway.database))).get('/portal/firm-record.csv'),
      403,
      'forbidden',
    );
  });
});
