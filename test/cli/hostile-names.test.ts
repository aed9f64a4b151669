// Risk: a name that a firm, a client or the platform has chosen controls the terminal of the operator who lists it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { appendPending } from '#gateway/ledger/append.ts';
import { runHere } from '#test/cli/portico.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';

/** Clears the screen, sets the title, changes the direction, and begins a line; the last is an 8-bit command. */
const HOSTILE = 'Ada\u001b[2J\u001b]0;x\u0007\u202e\n\tforged\u009b31m';
const UNSAFE = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u;

let target: TestDatabase;
let clientId: string;
let firmId: string;
beforeAll(async () => {
  target = await createMigratedDatabase();
  const database = await openDatabase({ url: target.url });
  const firm = await makeFirm(database);
  firmId = firm.id;
  const key = await makeKey(database, firm);
  const client = await makeClient(database);
  clientId = client.id;
  const { id } = await makeGrant(database, key, client);
  // Imports take such names, and earlier releases stored such addressees.
  for (const [text, of] of [
    ['update firms set name = $2 where id = $1', firm.id],
    ['update api_keys set name = $2 where id = $1', key.id],
    ['update users set name = $2 where id = $1', client.id],
    [
      `insert into grants (id, lineage_id, addressee, status, scopes, filter)
        select 'grt_' || substr($1::text, 5), lineage_id, $2, 'pending', scopes, filter from grants where id = $3`,
      key.id,
      id,
    ],
  ] as const)
    await database.query({ text, values: text.includes('$3') ? [of, HOSTILE, id] : [of, HOSTILE] });
  await database.query({
    text: `insert into key_events (key_id, actor, action, details) values ($1, 'system', 'change', jsonb_build_object('name', $2::text))`,
    values: [key.id, HOSTILE],
  });
  while ((await appendPending(database, null)) > 0);
  await database.close();
});
afterAll(() => target?.drop());

it.each([
  ['key list', ['key', 'list'], 2],
  ['grant list', ['grant', 'list'], 3],
  ['restore', ['restore'], null],
  ['client show', ['client', 'show'], null],
])('%s shows names without what a terminal would obey, and with --json as they are', async (_name, words, lines) => {
  const env = { DATABASE_URL: target.url };
  const command = words[0] === 'client' ? [...words, clientId] : words;
  const shown = await runHere(env, ...command);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('Ada\ufffd[2J')]);
  expect(shown.stdout + shown.stderr).not.toMatch(UNSAFE);
  if (lines !== null) expect(shown.stdout.trimEnd().split('\n')).toHaveLength(lines);
  expect(shown.stdout).not.toMatch(/^forged/m);
  const { stdout } = await runHere(env, ...command, '--json');
  expect(stdout).not.toMatch(UNSAFE);
  expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(HOSTILE));
});

it.each([
  ['client export', () => ['client', 'export', clientId], (line: string) => JSON.parse(line)],
  [
    'ledger export',
    () => ['ledger', 'export', '--subject', firmId],
    (line: string) => JSON.parse(JSON.parse(line).text ?? '{}'),
  ],
])('%s escapes in its lines what a terminal would obey', async (_name, words, read) => {
  const { code, stdout } = await runHere({ DATABASE_URL: target.url }, ...words());
  expect(code).toBe(0);
  expect(stdout).not.toMatch(UNSAFE);
  expect(JSON.stringify(stdout.trimEnd().split('\n').map(read))).toContain(JSON.stringify(HOSTILE));
});
