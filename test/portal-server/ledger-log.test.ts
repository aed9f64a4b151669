// The ledger is public over HTTP in the layout of C2SP, on either engine; entries are readable by their subjects only.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { verifyCheckpoint } from '#core/ledger/note.ts';
import { isConsistent } from '#core/ledger/proofs.ts';
import { readRecordFile, verifyRecord } from '#core/ledger/record-file.ts';
import { leafHash, TiledTree } from '#core/ledger/tree.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import { auditLedger } from '#gateway/ledger/audit.ts';
import type { Firm } from '#repositories/firms.ts';
import { setKeyTier } from '#repositories/keys/keys.ts';
import type { User } from '#repositories/users.ts';
import { appended } from '#test/support/appended.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { type Key, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';
import type { Browser } from './browser.ts';
import { makeMember, makeOwner, signedIn } from './people.ts';

const CALLS = 600;
const operator = { kind: 'operator', id: 'test' } as const;

describe.each(ENGINES)('$name', ({ start }) => {
  let gateway: TestGateway;
  let directory: string;
  let owner: User;
  let firm: Firm;
  let key: Key;
  let browser: Browser;
  /** The checkpoint over the first half of the calls. */
  let early: string;

  beforeAll(async () => {
    gateway = await start();
    directory = mkdtempSync(join(tmpdir(), 'portico-log-'));
    owner = await makeOwner(gateway.database);
    firm = await makeFirm(gateway.database);
    key = await makeKey(gateway.database, firm);
    await makeGrant(gateway.database, key, owner);
    await record(CALLS / 2);
    early = (await get('checkpoint')).text;
    await record(CALLS / 2);
    browser = await signedIn(gateway.url, owner);
  });
  afterAll(async () => {
    await gateway.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Saves this many calls and waits until the gateway has appended them. */
  async function record(calls: number): Promise<void> {
    const event = (): AccessEvent => ({
      ...{
        requestId: newId('request'),
        at: new Date().toISOString(),
        endpoint: 'GET /api/v1/assets',
        registryId: null,
      },
      ...{ status: 200, errorCode: null, firmId: key.firmId, keyId: key.id, clientId: owner.id, scopes: ALL_SCOPES },
    });
    await saveCalls(gateway.database, Array.from({ length: calls }, event));
    await appended(gateway.database);
  }

  const get = async (path: string) => {
    const response = await fetch(`${gateway.url}/ledger/${path}`);
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body, text: body.toString() };
  };
  const keySet = async () =>
    (await (await fetch(`${gateway.url}/.well-known/jwks.json`)).json()) as { keys: JsonWebKey[] };

  it('serves a signed checkpoint, and tiles that prove its root and its consistency with an earlier one', async () => {
    const note = await get('checkpoint');
    expect([note.status, note.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const { keys } = await keySet();
    const [older, newer] = [await verifyCheckpoint(early, keys), await verifyCheckpoint(note.text, keys)];
    expect(newer.size).toBe(CALLS + 2);
    const tree = new TiledTree(newer.size, async (level, index, width) => {
      const name = `tile/${level}/${String(index).padStart(3, '0')}${width === 256 ? '' : `.p/${width}`}`;
      const tile = await get(name);
      expect([name, tile.status, tile.headers.get('content-type')]).toEqual([name, 200, 'application/octet-stream']);
      expect(tile.headers.get('cache-control')).toContain('immutable');
      expect(tile.body).toHaveLength(width * 32);
      return tile.body;
    });
    expect(Buffer.from(newer.root).equals(await tree.root())).toBe(true);
    expect(await isConsistent(older, newer, await tree.consistency(older.size))).toBe(true);
    const bundle = await get('tile/entries/001');
    expect(bundle.body).toHaveLength(256 * 34);
    const entry = bundle.body.subarray(34 * 5 + 2, 34 * 6);
    expect(bundle.body.readUInt16BE(34 * 5)).toBe(32);
    expect(leafHash(entry).equals(await tree.leaf(261))).toBe(true);
  });

  it('answers HEAD as GET, without the body', async () => {
    for (const path of ['checkpoint', 'tile/0/000', 'tile/entries/001']) {
      const whole = await get(path);
      const head = await fetch(`${gateway.url}/ledger/${path}`, { method: 'HEAD' });
      expect([head.status, await head.text()], path).toEqual([200, '']);
      expect(head.headers.get('content-type')).toBe(whole.headers.get('content-type'));
      expect(head.headers.get('content-length')).toBe(String(whole.body.length));
    }
  });

  it.each([
    ...[
      'tile/0/003',
      'tile/0/000.p/0',
      'tile/0/000.p/256',
      'tile/0/002.p/255',
      'tile/1/000',
      'tile/2/000',
      'tile/64/000',
    ],
    ...[
      'tile/0/0',
      'tile/0/x000',
      'tile/0/',
      'tile/00/000',
      'tile/entries/900',
      'tile/-1/000',
      'tile/0/000/p/1',
      'tile/0/000.p/01',
    ],
  ])('answers 404 at %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it("gives a client's record with its proofs, in pages and as a file, to that client only", async () => {
    const { status, headers, text } = await browser.get('/portal/ledger.ndjson');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const record = readRecordFile(text);
    const { keys } = await keySet();
    // The calls, and the grant.
    expect(await verifyRecord(record, keys)).toMatchObject({ proven: CALLS + 1, from: 1, findings: [] });
    const first = JSON.parse((await browser.get('/portal/ledger.json?seen=10')).text);
    expect([first.subject, first.count, first.waiting, first.consistency.length > 0]).toEqual([
      owner.id,
      CALLS + 1,
      [],
      true,
    ]);
    let read = first.entries.length;
    for (let { next } = first; next !== null; ) {
      const query = new URLSearchParams({ after: next, size: first.size, count: first.count });
      const page = JSON.parse((await browser.get(`/portal/ledger.json?${query}`)).text);
      read += page.entries.length;
      next = page.next;
    }
    expect([read, first.next === null]).toEqual([CALLS + 1, false]);
    for (const path of ['/portal/ledger.json', '/portal/ledger.ndjson']) {
      expect((await fetch(gateway.url + path)).status).toBe(401);
      const other = await makeOwner(gateway.database);
      const stranger = await signedIn(gateway.url, other);
      expect((await stranger.get(path)).text).not.toContain(owner.id);
    }
    const larger = new URLSearchParams({ after: first.next, size: String(first.size + 1), count: first.count });
    for (const query of ['?after=x', '?seen=-1', '?size=1&after=2026-01-01T00:00:00Z', '?client=usr_1', `?${larger}`])
      expect((await browser.get(`/portal/ledger.json${query}`)).status, query).toBe(400);
    const last = '9999-12-31T23:59:59.999Z req_7ZZZZZZZZZZZZZZZZZZZZZZZZZ';
    const fromLast = new URLSearchParams({ after: last, size: first.size, count: first.count });
    expect((await browser.get(`/portal/ledger.json?${fromLast}`)).status).toBe(200);
  });

  it("gives a firm's members the steps of its keys without operations' reasons, and no entries of clients", async () => {
    await setKeyTier(
      gateway.database,
      key.id,
      { reason: 'not for the firm', endsAt: null, tier: 'elevated' },
      operator,
    );
    const member = await makeMember(gateway.database, firm);
    const own = await signedIn(gateway.url, member);
    const stepsNow = async () => readRecordFile((await own.get('/portal/ledger.ndjson')).text);
    await expect.poll(async () => (await stepsNow()).entries.length, { timeout: 60_000 }).toBe(2);
    const record = await stepsNow();
    const { keys } = await keySet();
    const entries = record.entries.map(({ text }) => JSON.parse(text));
    expect(entries.map(({ kind, action }) => [kind, action])).toEqual([
      ['key', 'tier'],
      ['key', 'create'],
    ]);
    expect(entries[0].details).toEqual({ tier: 'elevated', ends_at: null });
    expect(await verifyRecord(record, keys)).toMatchObject({ proven: 2, findings: [] });
  });

  it('passes the audit, and verify_ledger.py confirms it and its consistency with an earlier checkpoint', async () => {
    expect((await auditLedger(gateway.database, { seen: [early] })).faults).toEqual([]);
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const words = [
      file('record', (await browser.get('/portal/ledger.ndjson')).text),
      file('keys', JSON.stringify(await keySet())),
      file('early', early),
      ...['--log', `${gateway.url}/ledger`],
    ];
    const program = fileURLToPath(new URL('../../tools/verify_ledger.py', import.meta.url));
    const { stdout } = await promisify(execFile)('python3', [program, ...words]);
    expect(stdout).toContain(`${CALLS + 1} entries, all from 1 to ${CALLS + 1}, hold under`);
  });
});
