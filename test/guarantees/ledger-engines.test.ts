// Guarantee: on either engine a gateway appends what is recorded, the log holds, and what a superuser changes in it shows.
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

/** More than a bundle, so that there is a tile. */
const CALLS = 312;
/** So many that some steps have numbers of two figures. */
const CLIENTS = 12;
/** The key's step, the grants' and the calls. */
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

  /** So many calls, which the gateway appends by itself. */
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

  /** What is found while triggers are off and this is done; it is taken back then. */
  async function tampered(text: string): Promise<string[]> {
    const { database } = gateway;
    const kinds: string[] = [];
    const takeBack = new Error('taken back');
    const done = database.transaction(async (sql) => {
      await sql.query({ text: "set local session_replication_role = 'replica'" });
      await sql.query({ text });
      const within = {
        ...database,
        query: sql.query,
        // It is in one already, whose moment is its own.
        transaction: (inner: (one: typeof sql) => Promise<unknown>) =>
          inner({
            query: async (statement) => (statement.text.startsWith('set transaction') ? [] : sql.query(statement)),
          } as typeof sql),
      } as typeof database;
      const { faults } = await auditLedger(within, { seen: [seen] });
      kinds.push(...new Set(faults.map(({ kind }) => kind)));
      throw takeBack;
    });
    await expect(done).rejects.toBe(takeBack);
    return kinds.toSorted();
  }

  it('holds as it is, as a whole and for each client', async () => {
    expect(await audit()).toMatchObject({ size: ENTRIES, proven: ENTRIES, waiting: 0, earlier: 0, faults: [] });
    const { keys } = await readKeySet(gateway.database);
    for (const { id } of clients) {
      const page = await createLedger(gateway.database).page(id, { after: null, under: null, size: CALLS });
      if (page === null) throw new Error('there is no log');
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
    ['a step that is gone', `delete from grant_events where id = (select min(id) from grant_events)`, ['missing']],
    [
      'another salt',
      `update ledger_subjects set secret = decode(repeat('07', 32), 'hex') where subject like 'usr_%'`,
      ['entry'],
    ],
    [
      'an entry of the log',
      `update ledger_bundles set commitments = overlay(commitments placing decode('00', 'hex') from 2000) where index = 0`,
      ['entry', 'missing', 'rewritten', 'tree'],
    ],
    ['a tile', `update ledger_tiles set hashes = overlay(hashes placing '\\x0102'::bytea from 3)`, ['tree']],
    ['a bundle that is gone', 'delete from ledger_bundles where index = 1', ['entry', 'missing', 'tree']],
    ['a log that ends earlier', 'update ledger set size = 100', ['missing', 'rewritten', 'tree']],
    ['another root', `update ledger set root = decode(repeat('07', 32), 'hex')`, ['tree']],
  ])('%s by a superuser shows', async (_what, text, kinds) => {
    expect(await tampered(text)).toEqual(kinds);
    expect((await audit()).faults).toEqual([]);
  });
});
