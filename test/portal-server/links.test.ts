// A link sets a password once, before it expires; it is mailed if SMTP_URL is set, and printed otherwise.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUser, type User } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { startChildGateway } from '#test/support/child-gateway.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { Browser, expectRefusal } from './browser.ts';
import { makeOwner, newEmail, PASSWORD } from './people.ts';
import { openPostOffice, type PostOffice } from './post-office.ts';

const NEW_PASSWORD = 'chosen by the person';
const DAY_S = 86_400;

let gateway: TestGateway;
let office: PostOffice;
let env: Record<string, string>;
beforeAll(async () => {
  office = await openPostOffice();
  const mail = { SMTP_URL: office.url, MAIL_FROM: 'Portico <no-reply@portico.example>' };
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', PORTAL_URL: 'http://portico.example', ...mail } });
  env = { DATABASE_URL: gateway.databaseUrl, PORTAL_URL: 'http://portico.example' };
});
afterAll(async () => {
  await gateway?.stop();
  await office?.close();
});

/** A browser that uses the portal at PORTAL_URL. */
class Visitor extends Browser {
  override post(path: string, body: unknown = {}) {
    return super.post(path, body, { headers: { Origin: 'http://portico.example' } });
  }
}
const visitor = () => new Visitor(gateway.url);

const makeBare = () => createUser(gateway.database, { role: 'ops', email: newEmail(), name: 'Not invited yet' });

async function print(command: 'invite' | 'reset', who: string) {
  const { code, stdout, stderr } = await runHere(env, 'user', command, who, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const value = JSON.parse(stdout);
  return { ...value, token: new URL(value.url).hash.slice(1) as string };
}

const use = (token: string, newPassword = NEW_PASSWORD) =>
  visitor().post('/portal/auth/reset-password', { token, newPassword });

async function expectPassword({ email }: User, password: string): Promise<void> {
  await visitor().signIn(email, password);
}

describe('an invitation', () => {
  it('is printed without SMTP_URL, is valid for seven days, and sets the first password once', async () => {
    const user = await makeBare();
    const { url, token, ...rest } = await print('invite', user.id);
    expect(url).toBe(`http://portico.example/portal/invitation#${token}`);
    expect(rest).toMatchObject({ email: user.email, purpose: 'invitation', sent: false });
    const seconds = (Date.parse(rest.expires_at) - Date.now()) / 1000;
    expect(Math.abs(seconds - 7 * DAY_S)).toBeLessThan(60);

    const shown = await visitor().post('/portal/auth/link', { token });
    expect(shown.body).toEqual({ purpose: 'invitation', email: user.email, name: 'Not invited yet' });
    expectRefusal(await use(token, 'too short'), 400, 'invalid_parameter');
    expect((await use(token)).status).toBe(200);
    await expectPassword(user, NEW_PASSWORD);
    expectRefusal(await use(token, 'another long password'), 400, 'invalid_link');
    expectRefusal(await visitor().post('/portal/auth/link', { token }), 400, 'invalid_link');
    await expectPassword(user, NEW_PASSWORD);
  });

  it('works once, also when used concurrently', async () => {
    const user = await makeBare();
    const { token } = await print('invite', user.email.toUpperCase());
    const passwords = Array.from({ length: 8 }, (_, number) => `password number ${number}`);
    const all = await Promise.all(passwords.map((one) => use(token, one)));
    const worked = passwords.filter((_, at) => all[at]?.status === 200);
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
    await expectPassword(user, worked[0] ?? '');
  });

  it('becomes invalid when another is issued', async () => {
    const user = await makeBare();
    const first = await print('invite', user.email);
    const second = await print('invite', user.email);
    expectRefusal(await use(first.token), 400, 'invalid_link');
    expect((await use(second.token)).status).toBe(200);
  });

  it('is refused once it has expired', async () => {
    const user = await makeBare();
    const { token } = await print('invite', user.email);
    await gateway.database.query({
      text: `update portal_verifications set expires_at = now() - interval '1 second'
        where held_value = (select id from portal_accounts where email = $1)`,
      values: [user.email],
    });
    expectRefusal(await visitor().post('/portal/auth/link', { token }), 400, 'invalid_link');
    expectRefusal(await use(token), 400, 'invalid_link');
  });

  it('is refused for unknown addresses and for users with a password; a reset, for users without one', async () => {
    const owner = await makeOwner(gateway.database);
    const bare = await makeBare();
    for (const [command, who, message] of [
      ['invite', owner.email, /has a password/],
      ['reset', bare.email, /no password yet/],
      ['invite', newEmail(), /there is no user/],
    ] as const) {
      const outcome = await runHere(env, 'user', command, who);
      expect(outcome).toMatchObject({ code: 1, stdout: '' });
      expect(outcome.stderr).toMatch(message);
    }
  });

  it('is stored without its token', async () => {
    const { token } = await print('invite', (await makeBare()).email);
    const rows = await gateway.database.query({ text: 'select * from portal_verifications' });
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describe('a reset', () => {
  it('is mailed on request, replaces the password, and ends every session', async () => {
    const user = await makeOwner(gateway.database);
    const before = visitor();
    await before.signIn(user.email, PASSWORD);
    await visitor().post('/portal/auth/request-password-reset', { email: user.email.toUpperCase() });
    // Notices of the sign-in and of the first password are mailed, too.
    const letter = await office.letterTo(user.email, 'Subject: Your password for Portico\r\n');
    expect(letter.from).toBe('no-reply@portico.example');
    const [, token = ''] = /http:\/\/portico\.example\/portal\/invitation#([\w-]+)/.exec(letter.text) ?? [];
    expect(await visitor().post('/portal/auth/link', { token })).toMatchObject({
      status: 200,
      body: { purpose: 'reset' },
    });
    expect((await use(token)).status).toBe(200);
    expectRefusal(await before.operation('Viewer'), 401, 'not_signed_in');
    await expectPassword(user, NEW_PASSWORD);
    const old = await visitor().post('/portal/auth/sign-in/email', { email: user.email, password: PASSWORD });
    expectRefusal(old, 401, 'invalid_credentials');
    expectRefusal(await use(token), 400, 'invalid_link');
  });

  it('becomes invalid when the password is changed', async () => {
    const user = await makeOwner(gateway.database);
    const { token } = await print('reset', user.id);
    const session = visitor();
    await session.signIn(user.email, PASSWORD);
    const changed = { currentPassword: PASSWORD, newPassword: 'another long password' };
    expect((await session.post('/portal/auth/change-password', changed)).status).toBe(200);
    expectRefusal(await use(token), 400, 'invalid_link');
    await expectPassword(user, changed.newPassword);
  });

  it('gets the same answer for known and unknown addresses; only known ones get a mail', async () => {
    const user = await makeOwner(gateway.database);
    const unknown = newEmail();
    const answers = [];
    for (const email of [user.email, unknown]) {
      const { status, body } = await visitor().post('/portal/auth/request-password-reset', { email });
      answers.push({ status, body });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.status).toBe(200);
    await office.letterTo(user.email, 'Subject: Your password for Portico\r\n');
    expect(office.letters.flatMap(({ to }) => to)).not.toContain(unknown);
  });

  it('is answered before any work that depends on whether the account exists', async () => {
    const user = await makeOwner(gateway.database);
    const response = await gateway.database.transaction(async (sql) => {
      // No link can be stored meanwhile.
      await sql.query({ text: 'lock table portal_verifications in share mode' });
      return visitor().post('/portal/auth/request-password-reset', { email: user.email });
    });
    expect(response.status).toBe(200);
    await office.letterTo(user.email, 'Subject: Your password for Portico\r\n');
  });

  it('that cannot be mailed is logged as a failure, without the address', async () => {
    const user = await makeOwner(gateway.database);
    // Otherwise the failure in the log could be that of the notice that a password was set.
    await gateway.database.query({ text: 'delete from notices' });
    office.refused.set(user.email, 450);
    const mail = { SMTP_URL: office.url, MAIL_FROM: 'no-reply@portico.example' };
    const child = await startChildGateway({ ...env, ...mail });
    try {
      const browser = new Visitor(child.url);
      await browser.post('/portal/auth/request-password-reset', { email: user.email });
      await expect.poll(child.log).toContain('"where":"mail"');
      expect(child.log()).toContain('EENVELOPE');
      expect(child.log()).not.toContain(user.email);
    } finally {
      office.refused.delete(user.email);
      await child.stop();
    }
  });

  it('printed by the command line is valid for an hour', async () => {
    const user = await makeOwner(gateway.database);
    const { token, ...rest } = await print('reset', user.id);
    expect(rest).toMatchObject({ purpose: 'reset', sent: false });
    expect(Math.abs((Date.parse(rest.expires_at) - Date.now()) / 1000 - 3_600)).toBeLessThan(60);
    expect((await use(token)).status).toBe(200);
    await expectPassword(user, NEW_PASSWORD);
  });
});

describe('the command line with SMTP_URL', () => {
  it('sends the invitation and does not show its link', async () => {
    const user = await makeBare();
    const withMail = { ...env, SMTP_URL: office.url, MAIL_FROM: 'no-reply@portico.example' };
    const { stdout } = await runHere(withMail, 'user', 'invite', user.email, '--json');
    const shown = JSON.parse(stdout);
    expect(shown).toMatchObject({ sent: true, purpose: 'invitation' });
    expect(shown.url).toBeUndefined();
    const letter = await office.letterTo(user.email);
    expect(letter.text).toContain('Dear Not invited yet,');
    const [, token = ''] = /invitation#([\w-]+)/.exec(letter.text) ?? [];
    expect((await use(token)).status).toBe(200);
  });

  it('fails if the mail server refuses the mail, and does not print the password of SMTP_URL', async () => {
    const user = await makeBare();
    const wrong = office.url.replace('s3cret', 'wrong');
    const withMail = { ...env, SMTP_URL: wrong, MAIL_FROM: 'no-reply@portico.example' };
    const outcome = await runHere(withMail, 'user', 'invite', user.email);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toContain('could not be sent');
    expect(outcome.stderr).not.toContain('wrong');
  });
});
