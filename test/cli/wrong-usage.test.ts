// Wrong usage: exit code 2, with the wrong option and its permitted values on standard error, and without a database.

import { expect, it } from 'vitest';
import { portico, runHere } from '#test/cli/portico.ts';

const key = ['key', 'create', '--firm', 'f', '--name', 'n', '--environment', 'sandbox', '--scopes', 'all'];
const grant = ['grant', 'create', '--key', 'k', '--client', 'c', '--scopes', 'all'];
const user = ['user', 'create', '--email', 'a@example.com', '--name', 'n', '--role'];

it.each<[string[], string[]]>([
  [['keys'], ['keys']],
  [['key', 'create', '--name', 'n'], ['--firm']],
  [
    [...key, '--environment', 'prod'],
    ['--environment', 'sandbox, production'],
  ],
  [
    [...key, '--scopes', 'registry,all,x'],
    ['--scopes', '"x"', 'verification'],
  ],
  [
    [...key, '--expires', 'tomorrow'],
    ['--expires', 'RFC 3339', '30m'],
  ],
  [
    [...key, '--expires', '2020-01-01T00:00:00Z'],
    ['--expires', 'future'],
  ],
  [
    ['key', 'rotate', 'k', '--overlap', '25h'],
    ['--overlap', '24h'],
  ],
  [
    ['key', 'rotate', 'k', '--overlap', '1'],
    ['--overlap', '90s'],
  ],
  [
    ['key', 'use', 'k', '--days', '36501'],
    ['--days', '36500'],
  ],
  [
    ['generate', '--clients', '1', '--items', 'x', '--seed', '1'],
    ['--items', 'nine digits'],
  ],
  [
    ['key', 'tier', 'k', 'gold', '--reason', 'x'],
    ['gold', 'elevated'],
  ],
  [
    [...grant, '--filter', '{'],
    ['--filter', 'JSON'],
  ],
  [
    [...grant, '--filter', '{"type":"some"}'],
    ['--filter', '"collection"'],
  ],
  [
    ['grant', 'update', 'g'],
    ['--scopes', '--filter', '--expires'],
  ],
  [
    ['key', 'update', 'k'],
    ['--name', '--note', '--expires', '--networks'],
  ],
  [
    ['firm', 'create', '--name', 'n', '--tier', 'sandbox'],
    ['--tier', 'elevated'],
  ],
  [
    ['firm', 'create', '--name', 'n', '--id', 'frm_1'],
    ['--id', 'frm_'],
  ],
  [
    [...user, 'client', '--environment', 'sandbox'],
    ['--currency', 'ISO 4217'],
  ],
  [
    [...user, 'client', '--environment', 'sandbox', '--currency', 'XYZ'],
    ['--currency', "'XYZ'", 'ISO 4217'],
  ],
  [[...user, 'firm_member'], ['--firm']],
  [
    [...user, 'ops', '--firm', 'f'],
    ['--firm', 'operations'],
  ],
  [
    ['service-token', 'create', '--role', 'root'],
    ['--role', 'support, ops, admin'],
  ],
  [
    ['access', 'list', '--client', 'c', '--since', 'today'],
    ['--since', 'RFC 3339'],
  ],
  [
    ['access', 'list', '--client', 'c', '--item', 'itm_01K6A0C2E4G6J8M0P2R4T6W8Y0'],
    ['--item', 'registry id'],
  ],
  [
    ['limits', 'shadow', '--tier', 'gold', '--reason', 'x'],
    ['--tier', 'elevated'],
  ],
  [
    ['limits', 'shadow', '--tier', 'standard', '--key', 'k', '--reason', 'x'],
    ['--tier', '--key'],
  ],
  [
    ['limits', 'shadow', '--off', '--reason', 'x'],
    ['--tier', '--key'],
  ],
  [['limits', 'shadow', '--key', 'k'], ['--reason']],
  [
    ['firm', 'create', '--name', ''],
    ['--name', '1 to 200 characters'],
  ],
  [
    ['firm', 'limit', '--firm', 'f', '--none', '--reason', ' '],
    ['--reason', '1 to 500 characters'],
  ],
  [
    [...key, '--name', ' '],
    ['--name', '1 to 200 characters'],
  ],
  [
    ['key', 'update', 'k', '--name', 'a\nb'],
    ['--name', 'control character'],
  ],
  [
    ['key', 'tier', 'k', 'elevated', '--reason', ''],
    ['--reason', '1 to 500 characters'],
  ],
  [
    [...user, 'ops', '--name', ''],
    ['--name', '1 to 200 characters'],
  ],
  [
    [...user, 'ops', '--email', 'nobody'],
    ['--email', 'e-mail address'],
  ],
  [
    ['user', 'reset-factor', 'u', '--reason', ''],
    ['--reason', '1 to 500 characters'],
  ],
  [
    ['client', 'erase', 'c', '--reason', ''],
    ['--reason', '1 to 500 characters'],
  ],
  [
    ['plant-token', 'create', '--account', ''],
    ['--account', '1 to 200 characters'],
  ],
  [
    ['limits', 'shadow', '--key', 'k', '--reason', ''],
    ['--reason', '1 to 500 characters'],
  ],
  [
    ['service-token', 'create', '--role', 'ops', '--role', 'admin'],
    ['--role', 'more than once'],
  ],
  [
    [...key, '--firm', 'g'],
    ['--firm', 'more than once'],
  ],
  [
    ['ledger', 'verify', 'record.json', '--seen', 'checkpoint'],
    ['--seen', 'leave out the file'],
  ],
  [
    ['ledger', 'verify', 'record.json', '--save', 'checkpoint'],
    ['--save', 'leave out the file'],
  ],
  [
    ['firm', 'limit', '--firm', 'f', '--per-minute', '65536'],
    ['--per-minute', '65536', '1 to 65535'],
  ],
  [
    ['firm', 'limit', '--firm', 'f', '--none', '--expires', '1h'],
    ['--expires', '--per-minute'],
  ],
  [
    ['firm', 'limit', '--firm', 'f', '--lasting', '--expires', '1h'],
    ['--expires', '--per-minute'],
  ],
  [
    ['key', 'tier', 'k', 'default', '--expires', '1h'],
    ['--expires', 'elevated'],
  ],
  [
    ['key', 'tier', 'k', 'lasting', '--expires', '1h'],
    ['--expires', 'elevated'],
  ],
  [
    [...key, '--networks', '1.2.3.4/33'],
    ['--networks', '"1.2.3.4/33"', 'CIDR'],
  ],
  [
    ['key', 'update', 'k', '--networks', ''],
    ['--networks', 'CIDR'],
  ],
  [
    [...key, '--note', 'x'.repeat(2_001)],
    ['--note', '2000 characters'],
  ],
  [
    ['client', 'hold', 'c', '--reason', 'x', '--until', '2020-01-01T00:00:00Z'],
    ['--until', 'future'],
  ],
  [
    ['access', 'list', '--client', 'c', '--since', '2026-12-01T00:00:00Z', '--until', '2026-01-01T00:00:00Z'],
    ['--since', '--until'],
  ],
  [
    ['serve', '--workers', '257'],
    ['--workers', '1 to 256'],
  ],
])('%j ends with 2 and says what is permitted', async (words, expected) => {
  const { code, stdout, stderr } = await runHere({}, ...words, '--json');
  expect(code).toBe(2);
  const { error } = JSON.parse(stdout);
  expect(error).toEqual({ code: 'wrong_usage', message: expect.stringMatching(/^(?!error: )./) });
  expect(stderr).toContain(error.message);
  for (const part of expected) expect(stderr).toContain(part);
});

it.each([
  ['the program', ['keys']],
  ['an option', ['firm', 'create', '--name', 'n', '--id', 'frm_1']],
  ['a command', ['grant', 'update', 'g']],
])('the process ends with 2 when %s finds the fault', async (_name, words) => {
  const { code, stdout, stderr } = await portico({}, ...words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).not.toBe('');
});

it.each([[['help', 'bogus']], [['key', 'help', 'bogus']], [['help', '--json', 'bogus']]])(
  '%j names the word that is no command',
  async (words) => {
    const { code, stdout, stderr } = await runHere({}, ...words);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown command 'bogus'");
    if (words.includes('--json'))
      expect(JSON.parse(stdout)).toEqual({ error: { code: 'wrong_usage', message: "unknown command 'bogus'" } });
  },
);
