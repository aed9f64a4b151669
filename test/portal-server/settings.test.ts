// The portal's settings: a wrong one is reported by name and reason, without repeating a secret.
import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '#src/config.ts';

const PROVIDER = {
  id: 'hartwell',
  label: 'Hartwell & Lyle',
  issuer: 'https://id.hartwell.example/',
  client_id: 'portico',
  client_secret: 'top-secret-of-the-client',
  firm_id: 'frm_01GR638KM0J6FFEH15V0EWDKVZ',
};
const PORTAL_URL = 'https://portico.example';
const oidc = (...entries: object[]) => ({ PORTAL_URL, PORTAL_OIDC: JSON.stringify(entries) });

function faults(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

it('no setting is required', () => {
  expect(readConfig({})).toMatchObject({ portalUrl: undefined, portalSecret: undefined, identityProviders: [] });
  expect(readConfig({}).mail).toBeUndefined();
});

it('all settings are read', () => {
  const config = readConfig({
    ...oidc(PROVIDER, { ...PROVIDER, id: 'lyle', only: true, issuer: 'http://127.0.0.1:4000' }),
    PORTAL_SECRET: 'x'.repeat(32),
    SMTP_URL: 'smtps://user:password@mail.example',
    MAIL_FROM: 'Portico <no-reply@portico.example>',
  });
  expect(config.portalUrl).toBe(PORTAL_URL);
  expect(config.mail?.from).toBe('Portico <no-reply@portico.example>');
  expect(config.identityProviders.map(({ id, issuer, only }) => ({ id, issuer, only }))).toEqual([
    { id: 'hartwell', issuer: 'https://id.hartwell.example', only: false },
    { id: 'lyle', issuer: 'http://127.0.0.1:4000', only: true },
  ]);
});

describe('refused settings', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['a URL that is not an origin', { PORTAL_URL: 'https://portico.example/portal' }, /^PORTAL_URL: .*not an origin/],
    ['a URL that is not http or https', { PORTAL_URL: 'ftp://portico.example' }, /^PORTAL_URL/],
    ['a short secret', { PORTAL_SECRET: 'too-short-a-secret' }, /^PORTAL_SECRET: shorter than 32/],
    ['mail without a sender', { PORTAL_URL, SMTP_URL: 'smtp://mail.example' }, /^SMTP_URL needs MAIL_FROM/],
    ['a sender without an address', { MAIL_FROM: 'Portico' }, /^MAIL_FROM: .*not an e-mail address/],
    [
      'mail without PORTAL_URL',
      { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@b.example' },
      /^SMTP_URL needs PORTAL_URL/,
    ],
    ['providers without PORTAL_URL', { PORTAL_OIDC: JSON.stringify([PROVIDER]) }, /^PORTAL_OIDC needs PORTAL_URL/],
    ['text that is not JSON', { PORTAL_URL, PORTAL_OIDC: '{' }, /^PORTAL_OIDC: not JSON/],
    ['JSON that is not a list', { PORTAL_URL, PORTAL_OIDC: '{}' }, /^PORTAL_OIDC: not a list/],
    ['a missing member', oidc({ ...PROVIDER, client_id: undefined }), /entry 1: client_id is missing/],
    ['an unknown member', oidc({ ...PROVIDER, colour: 'red' }), /entry 1: a member that is not one of/],
    ['a reserved id', oidc({ ...PROVIDER, id: 'credential' }), /entry 1: id is not/],
    ['one id twice', oidc(PROVIDER, PROVIDER), /entry 2: an earlier entry has the same id/],
    ['an issuer without TLS', oidc({ ...PROVIDER, issuer: 'http://id.hartwell.example' }), /issuer is not an https/],
    ['an invalid firm id', oidc({ ...PROVIDER, firm_id: 'hartwell' }), /firm_id is not/],
    ['a text in place of a boolean', oidc({ ...PROVIDER, only: 'yes' }), /only is neither/],
  ])('%s', (_what, env, message) => {
    const found = faults(env);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
    expect(found[0]).not.toMatch(/secret-of|too-short-a/);
  });
});
