// Guarantee: on both engines a gateway appends records to the ledger, and an audit detects changes by a superuser.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { verifyRecord } from '#core/ledger/record-file.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import { readKeySet } from '#gateway/consent/receipt-signature.ts';
import { type Audit, auditLedger } from '#gateway/ledger/audit.ts';
import { createLedger } from '#gateway/ledger/ledger.ts';
import type { User } from '#repositories/users.ts';
import { appended } from '#test/support/appended.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { saveCalls } from '#test/support/save-calls.ts';
import { type Key, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';

/** More than a bundle, so that there is a complete tile. */
const CALLS = 312;
/** More than nine, so that some steps have numbers of two digits. */
const CLIENTS = 12;
/** The calls, one step for each grant, and one for the key. */
const ENTRIES = CALLS + CLIENTS + 1;

describe.each(ENGINES)('$name', ({ start }) => {
  let gateway: TestGateway;
  let key: Key;
  let clients: User[];
  let seen: string;

  beforeAll(async () => {
    gateway = await start();
    const { database } = gateway;
    key = await makeKey(database, await makeFirm(database));
    clients = await Promise.all(Array.from({ length: CLIENTS }, () => makeClient(database)));
    for (const client of clients) await makeGrant(database, key, client);
    await record(CALLS / 2);
    seen = (await createLedger(database).checkpoint()) ?? '';
    await record(CALLS / 2);
  });
  afterAll(() => gateway.stop());

  /** Records this many calls and waits until the gateway has appended them. */
  async function record(calls: number): Promise<void> {
    const event = (at: number): AccessEvent => ({
      ...{
        requestId: newId('request'),
        at: new Date().toISOString(),
        endpoint: 'GET /api/v1/assets',
        registryId: null,
      },
      ...{ status: 200, errorCode: null, firmId: key.firmId, keyId: key.id, scopes: ALL_SCOPES },
      clientId: clients[at % clients.length]?.id ?? '',
    });
    await saveCalls(
      gateway.database,
      Array.from({ length: calls }, (_, at) => event(at)),
    );
    await appended(gateway.database);
  }

  const audit = (): Promise<Audit> => auditLedger(gateway.database, { seen: [seen] });

  /** Kinds of faults found after the statement ran with triggers off; it is rolled back. */
  async function tampered(text: string): Promise<string[]> {
    const { database } = gateway;
    const kinds: string[] = [];
    const rollback = new Error('rolled back');
    const done = database.transaction(async (sql) => {
      await sql.query({ text: "set local session_replication_role = 'replica'" });
      await sql.query({ text });
      const within = {
        ...database,
        query: sql.query,
        // Already in a transaction, whose isolation level can no longer be set.
        transaction: (inner: (one: typeof sql) => Promise<unknown>) =>
          inner({
            query: async (statement) => (statement.text.startsWith('set transaction') ? [] : sql.query(statement)),
          } as typeof sql),
      } as typeof database;
      const { faults } = await auditLedger(within, { seen: [seen] });
      kinds.push(...new Set(faults.map(({ kind }) => kind)));
      throw rollback;
    });
    await expect(done).rejects.toBe(rollback);
    return kinds.toSorted();
  }

  it('the unchanged ledger has no faults, as a whole and for each client', async () => {
    expect(await audit()).toMatchObject({ size: ENTRIES, proven: ENTRIES, waiting: 0, earlier: 0, faults: [] });
    const { keys } = await readKeySet(gateway.database);
    for (const { id } of clients) {
      const page = await createLedger(gateway.database).page(id, { after: null, under: null, size: CALLS });
      if (page === null) throw new Error('there is no ledger');
      expect(await verifyRecord(page, keys)).toMatchObject({ from: 1, proven: CALLS / CLIENTS + 1, findings: [] });
    }
  });

  const SOME_CALL = '(select id from access_calls order by at, id limit 1 offset 70)';
  it.each<[string, string, string[]]>([
    ['an edit', `update access_calls set status = 304 where id = ${SOME_CALL}`, ['entry', 'missing']],
    ['a deletion', `delete from access_calls where id = ${SOME_CALL}`, ['missing']],
    ['a call without an entry', `update access_calls set entry = 0 where id = ${SOME_CALL}`, ['missing']],
    [
      'reordering',
      `update access_calls set entry = case when entry % 2 = 0 then entry + 1 else entry - 1 end`,
      ['entry'],
    ],
    ['a deleted step', `delete from grant_events where id = (select min(id) from grant_events)`, ['missing']],
    [
      'a changed salt',
      `update ledger_subjects set secret = decode(repeat('07', 32), 'hex') where subject like 'usr_%'`,
      ['entry'],
    ],
    [
      'a changed entry of the ledger',
      `update ledger_bundles set commitments = overlay(commitments placing decode('00', 'hex') from 2000) where index = 0`,
      ['entry', 'missing', 'rewritten', 'tree'],
    ],
    ['a changed tile', `update ledger_tiles set hashes = overlay(hashes placing '\\x0102'::bytea from 3)`, ['tree']],
    ['a deleted bundle', 'delete from ledger_bundles where index = 1', ['entry', 'missing', 'tree']],
    ['a reduced size', 'update ledger set size = 100', ['missing', 'rewritten', 'tree']],
    ['a changed root', `update ledger set root = decode(repeat('07', 32), 'hex')`, ['tree']],
  ])('%s by a superuser is detected', async (_what, text, kinds) => {
    expect(await tampered(text)).toEqual(kinds);
    expect((await audit()).faults).toEqual([]);
  });
});
