// The portal on the embedded database: one command, and the accounts of the demo can sign in.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TOTP, URI } from 'otpauth';
import { expect, inject, it } from 'vitest';
import { runHere } from '#test/cli/portico.ts';
import { startServe } from '#test/faults/serve-process.ts';
import { until } from '#test/support/ports.ts';
import { Browser, expectRefusal } from './browser.ts';

it('the accounts of the demo sign in; a second factor, concurrent requests and a printed reset link work', async () => {
  const directory = await mkdtemp(join(inject('directory'), 'embedded-'));
  const env = { DATA_DIR: directory, LOG_LEVEL: 'silent' };
  const gateway = await startServe(env, '--demo');
  try {
    await until(
      async () => gateway.output.includes('\nTry\n'),
      300_000,
      () => new Error(`the demo was not announced:\n${gateway.output}`),
    );
    const [, address = ''] = /^Portal: (\S+)$/m.exec(gateway.output) ?? [];
    expect(address).toBe(`${gateway.url}/portal/`);
    const [, password = ''] = /^ {2}Everybody's password: (.+)$/m.exec(gateway.output) ?? [];
    const emails = [...gateway.output.matchAll(/^ {2}(\S+@\S+) /gm)].map(([, email = '']) => email);
    const roles = new Set<string>();
    for (const email of emails) {
      const one = new Browser(gateway.url);
      await one.signIn(email, password);
      const viewer = await one.operation('Viewer');
      expect(viewer.body.data.email).toBe(email);
      roles.add(viewer.body.data.role);
    }
    expect(roles).toEqual(new Set(['firm_member', 'client', 'ops']));

    const browser = new Browser(gateway.url);
    const [email = ''] = emails;
    await browser.signIn(email, password);
    const { body } = await browser.post('/portal/auth/two-factor/enable', { password });
    const totp = URI.parse(body.totpURI) as TOTP;
    const verified = await browser.post('/portal/auth/two-factor/verify-totp', { code: totp.generate() });
    expect(verified.status).toBe(200);
    // Concurrent requests share the one session of the embedded database.
    const all = await Promise.all(Array.from({ length: 20 }, () => browser.operation('Viewer')));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));

    // From another process, while the gateway runs.
    const reset = JSON.parse((await runHere(env, 'user', 'reset', email, '--json')).stdout);
    const token = new URL(reset.url).hash.slice(1);
    const used = await new Browser(gateway.url).post('/portal/auth/reset-password', {
      token,
      newPassword: 'a new long one',
    });
    expect(used.status, used.text).toBe(200);
    expectRefusal(await browser.operation('Viewer'), 401, 'not_signed_in');
  } finally {
    await gateway.end();
    await rm(directory, { recursive: true, force: true });
  }
});
