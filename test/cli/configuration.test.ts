// The configuration: readConfig, `config`, `config --explain` and the help agree on the settings, and show no secret.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '#src/config.ts';
import { allSettings } from '#src/configuration/settings.ts';
import { runHere } from '#test/cli/portico.ts';
import npm from '../../package.json' with { type: 'json' };

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'portico-configuration-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function faults(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

const PLANTED = 'pl4nted-s3cret';
/** A valid value of every secret setting, each containing PLANTED. */
const SECRETS: Record<string, string> = {
  DATABASE_URL: `postgres://u:${PLANTED}@one:5432,two:5432/x`,
  DATABASE_REPLICA_URLS: `postgres://u:${PLANTED}@three/x`,
  REDIS_URL: `redis://u:${PLANTED}@four`,
  ACCESS_QUEUE_URL: `redis://u:${PLANTED}@five`,
  PORTAL_SECRET: PLANTED.repeat(3),
  PORTAL_OIDC: JSON.stringify([
    {
      ...{ id: 'hartwell', label: 'Hartwell', issuer: 'https://id.example', client_id: 'portico' },
      ...{ client_secret: PLANTED, firm_id: 'frm_01GR638KM0J6FFEH15V0EWDKVZ' },
    },
  ]),
  SMTP_URL: `smtp://u:${PLANTED}@mail.example`,
};
const COMPANY = { PORTAL_URL: 'https://portico.example', MAIL_FROM: 'a@b.example' };
const secretNames = () => allSettings().flatMap(({ name, secret }) => (secret ? [name] : []));

describe('secrets', () => {
  it('are all in the list of this test', () => {
    expect(secretNames().toSorted()).toEqual(Object.keys(SECRETS).toSorted());
  });

  it('are read from files as from variables, without the final newline', () => {
    const files = Object.entries(SECRETS).map(([name, text]) => [`${name}_FILE`, file(name, `${text}\n`)]);
    const fromFiles = readConfig({ ...COMPANY, ...Object.fromEntries(files) });
    expect(fromFiles).toEqual(readConfig({ ...COMPANY, ...SECRETS }));
    expect(fromFiles.portalSecret).toBe(PLANTED.repeat(3));
  });

  it.each(Object.keys(SECRETS))('%s: setting both variables, a missing file and an empty file are faults', (name) => {
    const path = file(name, SECRETS[name] ?? '');
    expect(
      faults({ ...COMPANY, DATABASE_URL: 'postgres://x/y', [name]: SECRETS[name] ?? '', [`${name}_FILE`]: path }),
    ).toEqual([`${name} and ${name}_FILE are both set`]);
    const missing = join(directory, 'nowhere');
    expect(faults({ ...COMPANY, [`${name}_FILE`]: missing })).toContainEqual(expect.stringContaining(missing));
    expect(faults({ ...COMPANY, [`${name}_FILE`]: file('empty', '\n') })).toContainEqual(
      `${name}_FILE: ${join(directory, 'empty')} is empty`,
    );
  });

  it.each(Object.keys(SECRETS))('%s is not repeated in a fault, from a variable or a file', (name) => {
    for (const wrong of [PLANTED, `https://u:${PLANTED}@x`, `[{"client_secret":"${PLANTED}"}]`]) {
      const path = file('wrong', wrong);
      for (const env of [{ [name]: wrong }, { [`${name}_FILE`]: path }]) {
        const found = faults({ ...COMPANY, ...env });
        if (name === 'PORTAL_SECRET' && wrong.length >= 32) expect(found).toEqual([]);
        else expect(found).toHaveLength(1);
        expect(found.join()).not.toContain(PLANTED);
      }
    }
  });

  it('are not printed, only whether and where they are set', async () => {
    const path = file('PORTAL_SECRET', SECRETS.PORTAL_SECRET ?? '');
    const { PORTAL_SECRET: _, ...others } = SECRETS;
    const env = { ...COMPANY, ...others, PORTAL_SECRET_FILE: path };
    for (const words of [
      ['config'],
      ['config', '--explain'],
      ['config', '--json'],
      ['config', '--explain', '--json'],
    ]) {
      const { code, stdout, stderr } = await runHere(env, ...words);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).not.toContain(PLANTED);
    }
    const rows = JSON.parse((await runHere(env, 'config', '--explain', '--json')).stdout);
    const shown = new Map<string, object>(rows.map((row: { name: string }) => [row.name, row]));
    expect(shown.get('DATABASE_URL')).toMatchObject({
      ...{ secret: true, value: 'set', source: 'environment', file_variable: 'DATABASE_URL_FILE' },
    });
    expect(shown.get('PORTAL_SECRET')).toMatchObject({ value: 'set', source: path });
    expect(shown.get('PORT')).toMatchObject({ value: '8080', source: 'default', secret: false, file_variable: null });
    expect(shown.get('TRUST_PROXY')).toMatchObject({ value: null, source: null });
    expect(shown.get('MAIL_FROM')).toMatchObject({ value: 'a@b.example', source: 'environment' });
  });
});

it('addresses that are not secret are printed without the password in them', async () => {
  const names = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const env = Object.fromEntries(names.map((name) => [name, `https://u:${PLANTED}@collector.example:4318/x`]));
  for (const command of [['config'], ['config', '--explain'], ['config', '--json']]) {
    const { stdout, stderr } = await runHere(env, ...command);
    expect(stdout + stderr).not.toContain(PLANTED);
    expect(stdout).toContain('https://…@collector.example:4318/x');
  }
});

it('config prints an invalid configuration, says what is wrong, and ends with 2', async () => {
  const { code, stdout, stderr } = await runHere({ PORT: 'eighty', LOG_LEVEL: 'loud' }, 'config', '--json');
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toContainEqual({ name: 'PORT', value: 'wrong', source: 'environment' });
  expect(stderr).toContain('PORT: "eighty"');
  expect(stderr).toContain('LOG_LEVEL: "loud"');
});

it('every fault is listed once: an invalid setting is not reported as missing, too', () => {
  const env = {
    ...{ DATABASE_URL: 'postgres:u@one/x', DATABASE_REPLICA_URLS: 'postgres://two/x', REDIS_URL: 'redis:6379' },
    ...{ SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'nobody', PORTAL_URL: 'portico.example' },
  };
  expect(faults(env)).toEqual([
    'DATABASE_URL: not a URL that begins with postgres:// or postgresql://',
    'REDIS_URL: not a Redis URL',
    'PORTAL_URL: not an origin like https://portico.example',
    'MAIL_FROM: "nobody" is not an e-mail address',
  ]);
});

it('every default is valid, and every setting without a default says what applies instead', () => {
  for (const { name, form, default: text, otherwise, secret } of allSettings()) {
    expect(text === undefined, name).toBe(otherwise !== undefined);
    if (text !== undefined) expect(readConfig({ [name]: text })).toEqual(readConfig({}));
    expect(form.type, name).not.toBe('');
    // A default would be printed in the documentation.
    if (secret) expect(text).toBeUndefined();
  }
});

it('--version prints the version of package.json', async () => {
  expect(await runHere({}, '--version')).toEqual({ code: 0, stdout: `${npm.version}\n`, stderr: '' });
  const { stdout } = await runHere({}, '--json', '--version');
  expect(JSON.parse(stdout)).toEqual({ version: npm.version });
});

it('the help names every setting, and is one JSON value with --json', async () => {
  const { stdout } = await runHere({}, '--help');
  for (const { name } of allSettings()) expect(stdout).toContain(`  ${name} `);
  for (const words of [['--help'], ['help']]) {
    const { code, stdout: value } = await runHere({}, ...words, '--json');
    expect([code, JSON.parse(value)]).toEqual([0, { help: stdout.trimEnd() }]);
  }
});

it('pool sizes, Redis patience and drain delay are read from their settings', () => {
  expect(readConfig({})).toMatchObject({ databaseConnections: 10, databaseReplicaConnections: 10 });
  expect(readConfig({ DATABASE_CONNECTIONS: '4' })).toMatchObject({ databaseReplicaConnections: 4 });
  expect(
    readConfig({ DATABASE_REPLICA_CONNECTIONS: '7', REDIS_PATIENCE_MS: '80', DRAIN_DELAY_MS: '5000' }),
  ).toMatchObject({ databaseConnections: 10, databaseReplicaConnections: 7, redisPatienceMs: 80, drainDelayMs: 5000 });
});
