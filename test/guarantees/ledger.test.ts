// Guarantee: records cannot be changed, deleted, reordered or rewritten without an audit of the ledger detecting it.
import { execFile } from 'node:child_process';
import { createPrivateKey, hash, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { digestOf } from '#core/ledger/entry-text.ts';
import { checkpointText, signedNote } from '#core/ledger/note.ts';
import { type LedgerRecord, readRecordFile, verifyRecord } from '#core/ledger/record-file.ts';
import { leafHash, perfectRoot, TiledTree } from '#core/ledger/tree.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { readKeySet } from '#gateway/consent/receipt-signature.ts';
import { appendPending, commit, saltOf } from '#gateway/ledger/append.ts';
import { auditLedger } from '#gateway/ledger/audit.ts';
import { createLedger } from '#gateway/ledger/ledger.ts';
import { currentKey } from '#gateway/signing-key.ts';
import { tilesOf } from '#repositories/ledger/ledger.ts';
import type { User } from '#repositories/users.ts';
import { runHere } from '#test/cli/portico.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import { Chance } from './chance.ts';

/** Three of each edit. */
const TRIES = 24;
const CALLS = 700;
const chance = new Chance();

let target: TestDatabase;
let database: Database;
let directory: string;
let clients: User[];
/** An earlier checkpoint that a third party keeps. */
let seen: string;

beforeAll(async () => {
  target = await createMigratedDatabase();
  database = await openDatabase({ url: target.url });
  directory = mkdtempSync(join(tmpdir(), 'portico-ledger-'));
  const key = await makeKey(database, await makeFirm(database));
  clients = [await makeClient(database), await makeClient(database), await makeClient(database)];
  for (const client of clients) await makeGrant(database, key, client);
  const event = (at: number): AccessEvent => ({
    ...{
      requestId: newId('request'),
      at: new Date(Date.now() - at * 1_000).toISOString(),
      endpoint: 'GET /api/v1/assets',
    },
    ...{ registryId: null, status: 200, errorCode: null, firmId: key.firmId, keyId: key.id, scopes: ALL_SCOPES },
    clientId: chance.pick(clients).id,
    disclosure: { items: Buffer.of(1 + (at % 100), 2), removed: null, scopes: 3, includes: 1 },
    version: '2025-01-01',
  });
  for (let from = 0; from < CALLS; from += 100) {
    await saveCalls(
      database,
      Array.from({ length: 100 }, (_, at) => event(from + at)),
    );
    if (from === 300) {
      await appendAll();
      seen = (await createLedger(database).checkpoint()) ?? '';
    }
  }
  await appendAll();
});
afterAll(async () => {
  await database.close();
  await target.drop();
  rmSync(directory, { recursive: true, force: true });
});

async function appendAll(): Promise<void> {
  while ((await appendPending(database, 'https://portico.example')) > 0);
}

const recordOf = async (subject: string): Promise<{ text: string; record: LedgerRecord }> => {
  const log = createLedger(database);
  const first = await log.page(subject, { after: null, under: null, size: 50 });
  if (first === null) throw new Error('there is no ledger');
  let text = '';
  for await (const lines of log.lines(subject, first)) text += lines;
  return { text, record: readRecordFile(text) };
};

type Query = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

class RolledBack extends Error {}
/** Runs `work` with triggers off, as a superuser may, then `look`, and rolls both back. */
async function tampered(work: (query: Query) => Promise<void>, look: (of: Database) => Promise<void>): Promise<void> {
  await database
    .transaction(async (sql) => {
      await sql.query({ text: "set local session_replication_role = 'replica'" });
      await work((text, values = []) => sql.query({ text, values }));
      await look({
        ...database,
        query: sql.query,
        transaction: (inner: (one: typeof sql) => Promise<unknown>) =>
          inner({
            query: async (statement) => (statement.text.startsWith('set transaction') ? [] : sql.query(statement)),
          }),
      } as Database);
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
}

it('the unchanged ledger has no faults, and proves every call and step', async () => {
  const audit = await auditLedger(database, { seen: [seen] });
  expect(audit).toMatchObject({ faults: [], waiting: 0, earlier: 0, dropped: 0, erased: 0 });
  // The calls, one step for the key and one for each grant.
  expect([audit.size, audit.proven]).toEqual([CALLS + 4, CALLS + 4]);
  const { keys } = await readKeySet(database);
  for (const { id } of clients) {
    const { record } = await recordOf(id);
    const verdict = await verifyRecord(record, keys);
    expect(verdict).toMatchObject({ findings: [], from: 1, proven: record.count });
    expect(record.count).toBe(record.entries.length);
  }
});

/** Random calls that follow each other in the record. */
async function victims(query: Query, count = 1): Promise<{ id: string; entry: number }[]> {
  const rows = await query('select id::text as id, entry from access_calls order by at, id limit $1 offset $2', [
    count,
    chance.below(CALLS - count),
  ]);
  return rows.map(({ id, entry }) => ({ id: id as string, entry: Number(entry) }));
}

const EDITS = [
  'status = 304',
  "at = at - interval '1 second'",
  "items = ''",
  "items = '\\x0102'::bytea || items",
  "registry_id = 'PTC-WT-1'",
  'entry = 0',
  'entry = entry + 65536 * 1000',
  "removed = '\\x01'",
];

it.each([
  [
    'an edit',
    async (query, nth) => {
      const [one] = await victims(query);
      await query(`update access_calls set ${EDITS[nth % EDITS.length]} where id = $1`, [one?.id]);
    },
  ],
  [
    'a deletion',
    async (query) => {
      const [one] = await victims(query);
      await query('delete from access_calls where id = $1', [one?.id]);
    },
  ],
  [
    'reordering',
    async (query) => {
      const [one, other] = await victims(query, 2);
      await query(
        'update access_calls set entry = case id when $1::uuid then $3::bigint else $4::bigint end where id in ($1, $2)',
        [one?.id, other?.id, other?.entry, one?.entry],
      );
    },
  ],
  [
    'reordering in the ledger',
    async (query, nth) => {
      const at = 1 + chance.below(200) * 32;
      await query(
        `update ledger_bundles set commitments = overlay(overlay(commitments placing substring(commitments from $1 + 32 for 32) from $1 for 32)
      placing substring(commitments from $1 for 32) from $1 + 32 for 32) where index = $2`,
        [at, nth % 2],
      );
    },
  ],
  [
    'removing the tail of records and ledger',
    async (query, nth) => {
      // The second bundle ends with the entry before the last 192.
      await cutTail(query, [1, 191, 192, 193, 200][nth] ?? 1 + chance.below(200));
    },
  ],
] as [string, (query: Query, nth: number) => Promise<void>][])(
  `%s by a superuser is detected in each of ${TRIES} tries`,
  async (name, work) => {
    let found = 0;
    for (let nth = 0; nth < TRIES; nth++)
      await tampered(
        (query) => work(query, nth),
        async (of) => {
          const { faults } = await auditLedger(of, { seen: name.includes('tail') ? [await newest()] : [] });
          found += faults.length > 0 ? 1 : 0;
        },
      );
    expect(found).toBe(TRIES);
  },
  600_000,
);

const newest = async () => (await createLedger(database).checkpoint()) ?? '';

/** Deletes the last leaves with their records and signs a checkpoint of the rest, which is consistent in itself. */
async function cutTail(query: Query, count: number): Promise<void> {
  const calls = await query(
    'select r.id::text as id from access_calls r join ledger_batches b on b.number = r.entry >> 16 order by b.first + (r.entry & 65535) desc limit $1',
    [count],
  );
  const size = CALLS + 4 - calls.length;
  await query('delete from access_calls where id = any($1::uuid[])', [calls.map(({ id }) => id)]);
  await query('delete from ledger_batches where first >= $1::bigint', [size]);
  await query(
    'update ledger_batches set entries = $1::bigint - first, numbers = substring(numbers from 1 for (($1::bigint - first) * 6)::integer) where first + entries > $1::bigint',
    [size],
  );
  await query('delete from ledger_bundles where index > ($1::bigint - 1) / 256', [size]);
  await query(
    'update ledger_bundles set commitments = substring(commitments from 1 for (($1::bigint - index * 256) * 32)::integer) where index = $1::bigint / 256',
    [size],
  );
  await query('update ledger_tiles set hashes = substring(hashes from 1 for ($1::bigint / 256 * 32)::integer)', [size]);
  await query('delete from ledger_tiles where length(hashes) = 0');
  await sealAgain(query, size);
}

async function sealAgain(query: Query, size: number): Promise<void> {
  const sql = {
    query: ({ text, values = [] }: { text: string; values?: readonly unknown[] }) => query(text, [...values]),
  } as unknown as Database;
  const root = await new TiledTree(size, tilesOf(sql)).root();
  const { publicKey, privateKey } = await currentKey(database);
  const text = checkpointText('portico.example/ledger', { size, root });
  const key = createPrivateKey({ key: privateKey as never, format: 'jwk' });
  const note = await signedNote('portico.example/ledger', text, {
    key: publicKey,
    signature: sign(null, Buffer.from(text), key),
  });
  await query('update ledger set size = $1, root = $2, checkpoint = $3', [size, root, note]);
}

it(`a ledger rewritten as a whole is detected with an earlier checkpoint, in each of ${TRIES} tries`, async () => {
  let [alone, withCheckpoint] = [0, 0];
  for (let once = 0; once < TRIES; once++)
    await tampered(
      async (query) => {
        const bundles = await query('select index, commitments from ledger_bundles order by index');
        const all = bundles.flatMap(({ commitments }) =>
          Array.from({ length: (commitments as Buffer).length / 32 }, (_, at) =>
            (commitments as Buffer).subarray(at * 32, at * 32 + 32),
          ),
        );
        // Changes a call that the earlier checkpoint covers, and recomputes every hash that depends on it.
        const leaf = 10 + chance.below(300);
        const [call] = await query(
          `select r.id::text as id, p.client_id as client, s.secret, substring(b.numbers from ($1::bigint - b.first)::integer * 6 + 1 for 6) as packed
           from ledger_batches b join access_calls r on r.entry = b.number * 65536 + ($1::bigint - b.first)
           join access_pairs p on p.number = r.pair join ledger_subjects s on s.subject = p.client_id
           where $1::bigint >= b.first and $1::bigint < b.first + b.entries`,
          [leaf],
        );
        if (call === undefined) throw new Error('the call does not exist');
        await query('update access_calls set status = 404 where id = $1', [call.id]);
        const number = (call.packed as Buffer).readUIntBE(0, 6);
        const sql = {
          ...database,
          query: ({ text, values = [] }: { text: string; values?: readonly unknown[] }) => query(text, [...values]),
        } as Database;
        const page = await createLedger(sql).page(call.client as string, { after: null, under: null, size: 1_000 });
        const entry = page?.entries.find((one) => one.number === number);
        all[leaf] = commit(saltOf(call.secret as Buffer, number), number, digestOf(entry?.text ?? ''));
        for (let index = 0; index * 256 < all.length; index++)
          await query('update ledger_bundles set commitments = $2 where index = $1', [
            index,
            Buffer.concat(all.slice(index * 256, index * 256 + 256)),
          ]);
        const roots = Array.from({ length: Math.floor(all.length / 256) }, (_, at) =>
          perfectRoot(all.slice(at * 256, at * 256 + 256).map(leafHash)),
        );
        await query('update ledger_tiles set hashes = $1', [Buffer.concat(roots)]);
        await sealAgain(query, all.length);
      },
      async (of) => {
        alone += (await auditLedger(of)).faults.length > 0 ? 1 : 0;
        const { faults } = await auditLedger(of, { seen: [seen] });
        withCheckpoint += faults.some(({ kind }) => kind === 'rewritten') ? 1 : 0;
      },
    );
  // Without the checkpoint it is consistent: this is why third parties keep checkpoints.
  expect([alone, withCheckpoint]).toEqual([0, TRIES]);
}, 600_000);

it('a missing entry of a long ledger is found by statements that return at most 20,000 rows each', async () => {
  const [many, middle] = [45_000, 30_000];
  let size = 0;
  const rowCounts: number[] = [];
  await tampered(
    async (query) => {
      // A batch and a subject for each call, older than the retention, in full bundles; the middle one has no record.
      const [filled] = await query(
        `update ledger set size = (size + 255) / 256 * 256 + ${many} / 256 * 256 returning size`,
      );
      size = Number(filled?.size);
      await query(`insert into ledger_bundles (index, commitments) select index, decode(repeat('00', 8192), 'hex')
        from generate_series(0, ${size / 256 - 1}) index on conflict (index) do update set commitments =
          overlay(excluded.commitments placing ledger_bundles.commitments from 1)`);
      await query(`insert into ledger_batches (number, first, entries, numbers, at)
        select 1000000 + leaf, leaf, 1, '\\x000000000001', '2020-01-01' from generate_series(${CALLS + 4}, ${size - 1}) leaf
        where leaf <> ${middle}`);
      await query(`insert into ledger_subjects (subject, secret, entries)
        select 'usr_' || at, '\\x00', 1 from generate_series(1, ${many}) at`);
      await query(`insert into ledger_erasures (leaves) select substring(int8send(leaf) from 3)
        from generate_series(${CALLS + 4}, ${size - 1}) leaf where leaf < ${middle}`);
    },
    async (of) => {
      const counted = {
        ...of,
        transaction: (work: Parameters<Database['transaction']>[0]) =>
          of.transaction((sql) =>
            work({
              async query(statement) {
                const rows = await sql.query(statement);
                rowCounts.push(rows.length);
                return rows as never;
              },
            }),
          ),
      } as Database;
      const audit = await auditLedger(counted, { keptSince: new Date('2021-01-01') });
      const missing = audit.faults.flatMap(({ kind, text }) => (kind === 'missing' ? [text] : []));
      expect(missing).toEqual([`Nothing is recorded of entries ${middle} to ${middle} of the log.`]);
      const [erased, dropped] = [middle - CALLS - 4, size - 1 - middle];
      expect(audit).toMatchObject({ size, proven: CALLS + 4, erased, dropped });
    },
  );
  expect(Math.max(...rowCounts)).toBeLessThanOrEqual(20_000);
});

it('an exact copy of the 20,000th call is reported', async () => {
  const earlier = 19_999;
  await tampered(
    async (query) => {
      await query('insert into access_calls select * from access_calls order by at, id limit 1');
      await query(`insert into access_calls (at, id, key, pair, shape, status, related)
        select at, lpad(to_hex(nth), 32, '0')::uuid, key, pair, shape, status, related
        from (select * from access_calls order by at, id limit 1) oldest, generate_series(1, ${earlier}) nth`);
    },
    async (of) => {
      const audit = await auditLedger(of);
      expect(audit).toMatchObject({
        earlier,
        faults: [{ kind: 'entry', text: expect.stringMatching(/^Two records are/) }],
      });
    },
  );
});

describe('a record in a file', () => {
  const python = (...args: string[]) =>
    promisify(execFile)('python3', [
      fileURLToPath(new URL('../../tools/verify_ledger.py', import.meta.url)),
      ...args,
    ]).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }) => ({ code, stdout }),
    );

  it('is judged alike by the command and by a Python program that shares no code with it', async () => {
    const [client] = clients;
    const { text, record } = await recordOf(client?.id ?? '');
    const [file, keys] = [join(directory, 'record.ndjson'), join(directory, 'keys.json')];
    writeFileSync(keys, JSON.stringify(await readKeySet(database)));
    const lines = text.trimEnd().split('\n');
    const at = (change: (entry: LedgerRecord['entries'][number]) => object) =>
      lines.map((one, index) =>
        index === 5 ? JSON.stringify({ ...JSON.parse(one), ...change(JSON.parse(one)) }) : one,
      );
    const [head = '', ...rest] = lines;
    const without = (isGone: (entry: { number: number; isCall: boolean }) => boolean) => [
      head,
      ...rest.filter((line) => {
        const { number, text } = JSON.parse(line) as LedgerRecord['entries'][number];
        return !isGone({ number, isCall: (JSON.parse(text) as { kind: string }).kind === 'call' });
      }),
    ];
    const cases: [string, string[], number][] = [
      ['unchanged', lines, 0],
      ['without older calls', without(({ number, isCall }) => isCall && number <= 20), 0],
      ['without calls', without(({ isCall }) => isCall), 0],
      [
        'without older calls and one newer call',
        without(({ number, isCall }) => isCall && (number <= 20 || number === 25)),
        1,
      ],
      ['edited', at((entry) => ({ text: entry.text.replace('"at":"20', '"at":"19') })), 1],
      ['renumbered', at(({ number }) => ({ number: number - 1 })), 1],
      ['with another salt', at(() => ({ salt: hash('sha256', '', 'base64') })), 1],
      ['moved', at(({ index }) => ({ index: index - 1 })), 1],
      ['without one entry', lines.filter((_, index) => index !== 7), 1],
      ['without the last entry', lines.filter((one) => !one.includes(`"number":${record.count},`)), 1],
      ['with one entry twice', [...lines, lines[3] ?? ''], 1],
      ['of another client', [head.replace(client?.id ?? '', clients[1]?.id ?? ''), ...rest], 1],
      ['with another root', [head.replace(`\\n${CALLS + 4}\\n`, `\\n${CALLS + 3}\\n`), ...rest], 1],
    ];
    for (const [name, changed, code] of cases) {
      writeFileSync(file, `${changed.join('\n')}\n`);
      const own = await runHere({}, 'ledger', 'verify', file, '--keys', keys);
      expect([name, own.code, own.stderr.includes('    at ')]).toEqual([name, code, false]);
      // Files without older calls cannot prove that these are past their retention.
      expect([name, own.stdout.includes('complete and unchanged')]).toEqual([name, name === 'unchanged']);
      expect([name, (await python(file, keys)).code]).toEqual([name, code]);
    }
  });
});

it('ledger export refuses an id without a subject, whose empty record would look like a proof', async () => {
  const env = { DATABASE_URL: target.url };
  for (const subject of ['nope', newId('user'), newId('key')])
    expect(await runHere(env, 'ledger', 'export', '--subject', subject)).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: `portico: There is no client, firm or grant ${subject}.\n`,
    });
  const { id } = await makeClient(database);
  const unread = await runHere(env, 'ledger', 'export', '--subject', id);
  expect([unread.code, JSON.parse(unread.stdout).count]).toEqual([0, 0]);
});

it('ledger verify confirms the ledger, saves a checkpoint, and compares with it', async () => {
  const env = { DATABASE_URL: target.url };
  const note = join(directory, 'seen');
  const verified = await runHere(env, 'ledger', 'verify', '--save', note);
  expect(verified).toMatchObject({ code: 0, stderr: '' });
  expect(verified.stdout).toContain('The record matches the log.');
  const printed = await runHere(env, 'ledger', 'checkpoint');
  expect(printed.stdout).toBe(readFileSync(note, 'utf8'));
  // Earlier releases printed an empty line after it.
  writeFileSync(note, `${printed.stdout}\n`);
  expect(await runHere(env, 'ledger', 'verify', '--seen', note)).toMatchObject({ code: 0, stderr: '' });
  const keys = join(directory, 'published');
  writeFileSync(keys, JSON.stringify(await readKeySet(database)));
  expect(await runHere(env, 'ledger', 'verify', '--seen', note, '--keys', keys)).toMatchObject({ code: 0 });
  writeFileSync(keys, '{"keys":[]}');
  const foreign = await runHere(env, 'ledger', 'verify', '--keys', keys);
  expect([foreign.code, foreign.stderr]).toEqual([
    1,
    expect.stringContaining(`${keys}: none of the published keys has signed`),
  ]);
  writeFileSync(note, seen.replace(/\n\d+\n/, '\n99999\n'));
  const shorter = await runHere(env, 'ledger', 'verify', '--seen', note);
  expect([shorter.code, shorter.stderr]).toEqual([1, expect.stringContaining('The log had 99999 entries')]);
});

it('appending may take longer than the timeout of requests', async () => {
  await database.query({
    text: `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(2.5); return new; end';
      create trigger slow before update on ledger for each row execute function slow()`,
  });
  const brief = await openDatabase({ url: target.url, patienceMs: 2_000 });
  try {
    await makeKey(database, await makeFirm(database));
    expect(await appendPending(brief, 'https://portico.example')).toBeGreaterThan(0);
  } finally {
    await brief.close();
    await database.query({ text: 'drop trigger slow on ledger; drop function slow()' });
  }
});
