// Gateways killed while they append to the ledger leave no gap and no fork in it.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readCheckpoint } from '#core/ledger/note.ts';
import { verifyRecord } from '#core/ledger/record-file.ts';
import { readKeySet } from '#gateway/consent/receipt-signature.ts';
import { auditLedger } from '#gateway/ledger/audit.ts';
import { createLedger } from '#gateway/ledger/ledger.ts';
import { appended } from '#test/support/appended.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { type Load, startLoad, withinLimit } from './load.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

const GATEWAYS = 3;
/** Senders to each gateway. */
const CONCURRENCY = 3;
// Without it the senders take all the CPU that the restarts need, for calls that are refused once the limit is reached.
const PAUSE_MS = withinLimit(CONCURRENCY * GATEWAYS);
const KILLS = 9;

let created: TestDatabase;
let portfolio: Portfolio;
let serves: ServeProcess[] = [];
let loads: Load[] = [];

beforeAll(async () => {
  created = await createMigratedDatabase();
  portfolio = await makePortfolio(created.url);
});
afterEach(async () => {
  for (const load of loads) await load.stop();
  for (const serve of serves) await serve.end();
});
afterAll(async () => {
  await portfolio.database.close();
  await created.drop();
});

it('SIGKILL in turn of three gateways under load leaves no gap and no fork', async () => {
  const env = { DATABASE_URL: created.url };
  serves = await Promise.all(Array.from({ length: GATEWAYS }, () => startServe(env)));
  loads = serves.map(({ url }) => startLoad(portfolio.wanted(url), CONCURRENCY, { pauseMs: PAUSE_MS }));
  const log = createLedger(portfolio.database);
  /** Published checkpoints, by size. */
  const seen = new Map<number, string>();
  let watching = true;
  const watch = (async () => {
    while (watching) {
      const note = await log.checkpoint();
      if (note !== null) {
        const { size, root } = readCheckpoint(note);
        const before = seen.get(size);
        if (before !== undefined) expect(readCheckpoint(before).root).toEqual(root);
        seen.set(size, note);
      }
      await sleep(20);
    }
  })();
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(700 + ((kill * 137) % 600));
    const at = kill % GATEWAYS;
    serves[at]?.signal('SIGKILL');
    await serves[at]?.exited;
    await loads[at]?.stop();
    const serve = await startServe(env);
    serves[at] = serve;
    loads[at] = startLoad(portfolio.wanted(serve.url), CONCURRENCY, { pauseMs: PAUSE_MS });
  }
  const answered = (await Promise.all(loads.map((load) => load.stop()))).flat().filter(({ status }) => status === 200);
  const unrecorded = async () => {
    const recorded = await portfolio.records();
    return answered.filter(({ headers }) => !recorded.has(String(headers['x-request-id'])));
  };
  // The gateways that answered these are still running.
  await expect.poll(unrecorded).toEqual([]);
  await appended(portfolio.database);
  watching = false;
  await watch;
  const audit = await auditLedger(portfolio.database, { seen: [...seen.values()] });
  expect(audit).toMatchObject({ faults: [], waiting: 0, earlier: 0, dropped: 0, erased: 0 });
  expect(seen.size).toBeGreaterThan(KILLS);
  expect(audit.proven).toBe(audit.size);
  const records = await portfolio.records();
  // Every recorded call has an entry, and so have the steps of key and grant.
  expect(audit.size).toBeGreaterThan(records.size);
  expect(records.size).toBeGreaterThan(100);
  const first = await log.page(portfolio.client.id, { after: null, under: null, size: 100_000 });
  if (first === null) throw new Error('there is no ledger');
  const { keys } = await readKeySet(portfolio.database);
  const verdict = await verifyRecord({ ...first, entries: first.entries.slice(0, 3_000) }, keys);
  expect(verdict.findings.filter(({ kind }) => kind !== 'gap')).toEqual([]);
  const numbers = first.entries.map(({ number }) => number).sort((one, other) => one - other);
  expect(numbers).toEqual(Array.from({ length: first.count }, (_, at) => at + 1));
});
