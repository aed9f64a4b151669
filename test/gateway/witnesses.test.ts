// Guarantee: one process at a time asks the witnesses, with a proof that the log continues what they cosigned, and only
// verified cosignatures are published.
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cosignaturesOf, readCheckpoint, verifyCheckpoint } from '#core/ledger/note.ts';
import { readWitness, type Witness } from '#core/ledger/witness.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { readKeySet } from '#gateway/consent/receipt-signature.ts';
import { appendPending } from '#gateway/ledger/append.ts';
import { createLedger } from '#gateway/ledger/ledger.ts';
import { askWitnesses } from '#gateway/ledger/witnessing.ts';
import { readConfig } from '#src/config.ts';
import { runHere } from '#test/cli/portico.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { startGateway } from '#test/support/gateway.ts';
import { sampleOf, scrape } from '#test/support/metrics.ts';
import { makeFirm, makeKey } from '#test/support/scenario.ts';
import { startWitness, type TestWitness } from '#test/support/witness.ts';

let created: TestDatabase;
let database: Database;
let logKey: string;
let one: TestWitness;
let other: TestWitness;
let failures: string[];

beforeAll(async () => {
  created = await createMigratedDatabase();
  database = await openDatabase({ url: created.url });
  await grow(3);
  const { stdout } = await runHere({ DATABASE_URL: created.url }, 'ledger', 'key', '--json');
  logKey = JSON.parse(stdout).key;
});
afterAll(async () => {
  await database.close();
  await created.drop();
});
beforeEach(async () => {
  failures = [];
  one = await startWitness('witness.example/one', logKey);
  other = await startWitness('witness.example/other', logKey);
});
afterEach(async () => {
  await one.close();
  await other.close();
});

/** Appends an entry to the log for each new key. */
async function grow(keys: number): Promise<void> {
  const firm = await makeFirm(database);
  for (let count = 0; count < keys; count++) await makeKey(database, firm);
  await appendPending(database, 'https://portico.example');
}

const known = (witness: TestWitness): Witness => {
  const read = readWitness(witness.setting);
  if (typeof read === 'string') throw new Error(read);
  return read;
};

/** Runs a round with the witnesses and returns the published checkpoint. */
async function round(witnesses = [known(one), known(other)], patienceMs = 60_000): Promise<string> {
  const onFailure = (error: unknown) => failures.push((error as Error).message);
  expect(await askWitnesses(database, witnesses, { onFailure, roundSeconds: 0, patienceMs })).toBe(true);
  return (await createLedger(database, { witnessed: true }).published()) ?? '';
}

/** The names of the known witnesses that have cosigned the note. */
async function cosigned(note: string): Promise<string[]> {
  const found = [one, other].map((witness) => cosignaturesOf(note, known(witness).key));
  return (await Promise.all(found)).flat().map(({ name }) => name);
}

it('the published checkpoint is cosigned by all and continues the previous one, however the log grows', async () => {
  let sizes: number[] = [];
  for (const keys of [0, 1, 4, 0, 300, 1, 7]) {
    await grow(keys);
    const note = await round();
    expect(failures).toEqual([]);
    expect(await cosigned(note)).toEqual([one.name, other.name]);
    const { keys: published } = await readKeySet(database);
    const { size, origin, root } = await verifyCheckpoint(note, published);
    expect(one.seen.get(origin)).toEqual({ size, root: Buffer.from(root) });
    sizes = [...sizes, size];
  }
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  // Each witness was asked once a round, with the size that it had.
  expect([one.asked.length, other.asked.length]).toEqual([7, 7]);
  expect(one.asked.map((body) => Number(/^old (\d+)\n/.exec(body)?.[1]))).toEqual([0, ...sizes.slice(0, -1)]);
}, 300_000);

it('a witness ahead of the stored state reports its size and gets the proof from there', async () => {
  await round();
  await database.query({ text: 'delete from ledger_witnesses' });
  await grow(2);
  expect(await cosigned(await round())).toEqual([one.name, other.name]);
  expect(failures).toEqual([]);
  expect(one.asked.map((body) => body.split('\n')[0])).toEqual(['old 0', 'old 0', expect.stringMatching(/^old [1-9]/)]);
});

it('a witness that lost its state gets the proof from the beginning', async () => {
  await round();
  one.seen.clear();
  await grow(1);
  expect(await cosigned(await round())).toEqual([one.name, other.name]);
});

it('a log that is shorter than what was cosigned, or another one, is reported and not cosigned', async () => {
  const { origin, size } = readCheckpoint(await round());
  one.seen.set(origin, { size, root: Buffer.alloc(32, 7) });
  await grow(1);
  expect(await cosigned(await round())).toEqual([other.name]);
  expect(failures).toEqual([`${one.name} refuses: the log does not begin with the checkpoint that it cosigned before`]);
  failures = [];
  await database.query({
    text: 'update ledger_witnesses set size = size + 1000 where witness like $1',
    values: ['%one+%'],
  });
  one.seen.set(origin, { size: 100_000, root: Buffer.alloc(32, 7) });
  await round();
  expect(failures).toEqual([expect.stringMatching(/one has cosigned 1\d\d\d entries of the log, which has only \d+$/)]);
  failures = [];
  await database.query({ text: 'delete from ledger_witnesses' });
  expect(await cosigned(await round())).toEqual([other.name]);
  expect(failures).toEqual([expect.stringMatching(/one has cosigned 100000 entries of the log, which has only \d+$/)]);
});

it('a witness that does not know the log or its key is reported with the remedy', async () => {
  const strange = await startWitness('witness.example/strange', logKey.replace(/^[^+]*/, 'another.example/ledger'));
  const wary = await startWitness('witness.example/wary', logKey.replace(/\+[^+]*\+/, '+00000000+'));
  await round([known(strange), known(wary)]);
  expect(failures.toSorted()).toEqual([
    expect.stringMatching(/strange does not know the log \(`portico ledger key`/),
    expect.stringMatching(/wary does not know the key that signs the log/),
  ]);
  await strange.close();
  await wary.close();
});

describe('the checkpoint is published with the other cosignatures if', () => {
  const checkpointIn = (body: string) => body.slice(body.indexOf('\n\n') + 2);
  const answer = (text: (body: string) => string, status = 200) => {
    return (body: string, response: ServerResponse) => void response.writeHead(status).end(text(body));
  };
  const noCosignature = /is not a cosignature/;

  it.each<[string, RegExp, () => void]>([
    ['is down', /does not answer: connect ECONNREFUSED/, () => void one.close()],
    ['closes the connection', /does not answer/, () => (one.misbehave = (_, response) => response.destroy())],
    [
      'redirects',
      /does not answer: unexpected redirect/,
      () => (one.misbehave = (_, response) => response.writeHead(307, { Location: other.setting.split(' ')[1] }).end()),
    ],
    ['fails', /answers 500/, () => (one.misbehave = answer(() => 'no', 500))],
    ['sends nothing', /without a cosignature by its key/, () => (one.misbehave = answer(() => ''))],
    ['sends other text', noCosignature, () => (one.misbehave = answer(() => 'hello\n'))],
    ['sends too much', /its response is too long/, () => (one.misbehave = answer(() => 'x'.repeat(100_000)))],
    ['sends half a signature', /./, () => (one.misbehave = answer(() => `${one.cosign('a\n\n').slice(0, 40)}\n`))],
    ['signs something else', /is invalid/, () => (one.misbehave = answer(() => one.cosign('another\n1\nAA==\n\n')))],
    [
      'signs more than the checkpoint',
      noCosignature,
      () => (one.misbehave = answer((body) => `more\n\n${one.cosign(`${checkpointIn(body)}more\n\n`)}`)),
    ],
    [
      'signs with another key',
      /is invalid/,
      () =>
        (one.misbehave = answer((body) =>
          other
            .cosign(checkpointIn(body))
            .replace(/(— )\S+ .{6}/, one.cosign(checkpointIn(body)).slice(0, `— ${one.name} `.length + 6)),
        )),
    ],
    [
      'sends the cosignature of another witness',
      /without a cosignature by its key/,
      () => (one.misbehave = answer((body) => other.cosign(checkpointIn(body)))),
    ],
    [
      'signs with the time 0',
      /with a time that is not the present/,
      () => (one.misbehave = answer((body) => one.cosign(checkpointIn(body), 0))),
    ],
    [
      'signs with an earlier time',
      /with a time that is not the present/,
      () => (one.misbehave = answer((body) => one.cosign(checkpointIn(body), Math.floor(Date.now() / 1_000) - 7_200))),
    ],
    ['answers 409 without a size', /answers 409/, () => (one.misbehave = answer(() => 'much', 409))],
    [
      'answers 409 with another size each time',
      /answers 409/,
      () => (one.misbehave = answer((body) => (body.startsWith('old 1\n') ? '2\n' : '1\n'), 409)),
    ],
  ])('one %s', async (_what, message, misbehave) => {
    misbehave();
    expect(await cosigned(await round())).toEqual([other.name]);
    expect(failures).toEqual([expect.stringMatching(message)]);
    const [row] = await database.query({
      text: 'select cosigned_at as at, size from ledger_witnesses where witness = $1',
      values: [known(one).key],
    });
    expect(row).toEqual({ at: null, size: 0 });
  });

  it('one never answers', async () => {
    one.misbehave = () => {};
    const note = await round([known(one), known(other)], 3_000);
    expect(await cosigned(note)).toEqual([other.name]);
    expect(failures).toEqual([expect.stringMatching(/does not answer: .*timeout/)]);
  });
});

it('one of several processes runs a round, and none another before the next is due', async () => {
  await database.query({ text: `update ledger_publication set taken_at = now_ms() - interval '61 seconds'` });
  const ask = () => askWitnesses(database, [known(one)], { onFailure: (error) => failures.push(String(error)) });
  const asked = await Promise.all([ask(), ask(), ask(), ask()]);
  expect(asked.filter((mine) => mine)).toHaveLength(1);
  expect(await ask()).toBe(false);
  expect([one.asked.length, failures]).toEqual([1, []]);
});

it('the published checkpoint is served for some minutes, and after that or without witnesses the newest', async () => {
  const published = await round();
  await grow(1);
  const newest = await createLedger(database).checkpoint();
  const shown = (witnessed: boolean) => createLedger(database, { witnessed }).published();
  expect(newest).not.toBe(published);
  expect([await shown(true), await shown(false)]).toEqual([published, newest]);
  await database.query({ text: `update ledger_publication set published_at = now_ms() - interval '6 minutes'` });
  expect(await shown(true)).toBe(newest);
});

it('after the database’s clock was set back, a round runs and the newest checkpoint is served', async () => {
  await round();
  await grow(1);
  const newest = await createLedger(database).checkpoint();
  await database.query({
    text: `update ledger_publication set taken_at = taken_at + interval '1 day', published_at = published_at + interval '1 day'`,
  });
  expect(await createLedger(database, { witnessed: true }).published()).toBe(newest);
  const ask = () => askWitnesses(database, [known(one)], { onFailure: (error) => failures.push(String(error)) });
  expect((await Promise.all([ask(), ask(), ask()])).filter((mine) => mine)).toHaveLength(1);
  expect(failures).toEqual([]);
});

it('a gateway asks its configured witnesses, serves their cosignatures and reports their age', async () => {
  await database.query({ text: 'delete from ledger_publication; delete from ledger_witnesses' });
  other.misbehave = (_, response) => void response.writeHead(503).end();
  const env = { LEDGER_WITNESSES: `${one.setting}, ${other.setting}` };
  const gateway = await startGateway({ databaseUrl: created.url, env });
  try {
    const shown = async () => (await fetch(`${gateway.url}/ledger/checkpoint`)).text();
    await expect.poll(async () => cosigned(await shown())).toEqual([one.name]);
    const metrics = () => scrape(gateway.internalUrl);
    const seconds = async ({ name }: TestWitness) =>
      sampleOf(await metrics(), 'portico_ledger_witness_seconds', { witness: name });
    const line = `portico_ledger_witness_seconds{witness="${one.name}"} `;
    await expect.poll(metrics).toMatch(new RegExp(`^${RegExp.escape(line)}\\d`, 'm'));
    await database.query({ text: `update ledger_witnesses set asked_at = asked_at - interval '1 day'` });
    await expect.poll(() => seconds(other)).toBeGreaterThan(86_000);
    expect(await seconds(one)).toBeLessThan(86_000);
  } finally {
    await gateway.stop();
  }
});

it.each([
  ['nothing', 'a b c'],
  ['no URL', () => one.setting.split(' ')[0] ?? ''],
  ['another scheme', () => one.setting.replace('http:', 'ftp:')],
  [
    'a mistyped key',
    () => one.setting.replace(/(\+\S*)(\S)( )/, (_all, key, last, blank) => key + (last === 'A' ? 'B' : 'A') + blank),
  ],
  ['a mistyped name', () => one.setting.replace('example', 'exemple')],
  ['the key of a log', () => `${logKey} https://witness.example`],
])('a setting with %s is refused', (_what, given) => {
  const text = typeof given === 'string' ? given : given();
  expect(() => readConfig({ LEDGER_WITNESSES: `${other.setting},${text}` })).toThrow('LEDGER_WITNESSES: ');
  expect(readConfig({ LEDGER_WITNESSES: `${other.setting}, ${one.setting}` }).ledgerWitnesses).toEqual([
    known(other),
    known(one),
  ]);
});
