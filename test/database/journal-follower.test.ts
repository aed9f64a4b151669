// Guarantee: each revocation is in the revocation journal once, however often and by however many processes it is
// looked for.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { RevocationJournal } from '#database/revocation-journal.ts';
import { JournalFollower } from '#gateway/restore/journal-follower.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { forgetRevocations } from '#repositories/revocations.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { makeFirm, makeKey } from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;

let created: TestDatabase;
let withoutJournal: Database;
let directory: string;
beforeAll(async () => {
  created = await createMigratedDatabase();
  withoutJournal = await openDatabase({ url: created.url });
  directory = await mkdtemp(join(tmpdir(), 'portico-journal-'));
});
afterAll(async () => {
  await withoutJournal.close();
  await created.drop();
  await rm(directory, { recursive: true });
});

it('two followers write each line once', async () => {
  const path = join(directory, 'journal');
  const [journal, others] = [await RevocationJournal.open(path), await RevocationJournal.open(path)];
  const withJournal = await openDatabase({ url: created.url, journal });
  try {
    const [follower, other] = [
      new JournalFollower(withoutJournal, journal),
      new JournalFollower(withoutJournal, others),
    ];
    const firm = await makeFirm(withoutJournal);
    const revoked: string[] = [];
    const revoke = async (database: Database) => {
      const { id } = await makeKey(withoutJournal, firm);
      await revokeKey(database, id, operator);
      revoked.push(id);
    };
    const written = async () => (await journal.read()).revocations.map(({ row_id }) => row_id);
    for (let round = 0; round < 3; round++) {
      // Once with the journal, and once without, as by hand.
      await revoke(withJournal);
      await revoke(withoutJournal);
      for (let look = 0; look < 3; look++)
        for (const one of [follower, other]) expect(await one.follow()).toEqual({ wentBack: false });
      expect((await written()).sort()).toEqual([...revoked].sort());
    }
    const before = await readFile(path, 'utf8');
    for (let look = 0; look < 5; look++) for (const one of [follower, other]) await one.follow();
    expect(await readFile(path, 'utf8')).toBe(before);
  } finally {
    await withJournal.close();
    await journal.close();
    await others.close();
  }
});

it('a revocation that commits after thousands of later ones gets its line, too', async () => {
  const journal = await RevocationJournal.open(join(directory, 'late'));
  try {
    const follower = new JournalFollower(withoutJournal, journal);
    const { id } = await makeKey(withoutJournal, await makeFirm(withoutJournal));
    await withoutJournal.transaction(async (sql) => {
      await revokeKey(sql, id, operator);
      await withoutJournal.query({
        text: `insert into revocations (table_name, row_id) select 'portal_sessions', 'pss_' || n from generate_series(1, 2000) n`,
      });
      await follower.follow();
      expect((await journal.read()).revocations.map(({ row_id }) => row_id)).not.toContain(id);
    });
    await follower.follow();
    const written = (await journal.read()).revocations.map(({ row_id }) => row_id);
    expect(written.filter((one) => one === id)).toHaveLength(1);
    await follower.follow();
    expect((await journal.read()).revocations).toHaveLength(written.length);
  } finally {
    await journal.close();
  }
});

it('the deletion of old acts is not taken for a database that was set back', async () => {
  const path = join(directory, 'old');
  const journal = await RevocationJournal.open(path);
  try {
    const follower = new JournalFollower(withoutJournal, journal);
    const count = { text: 'select count(*)::int as rows from revocations' };
    await withoutJournal.query({
      text: `insert into revocations (at, table_name, row_id)
        select now() - interval '10 days', 'portal_sessions', 'pss_old_' || n from generate_series(1, 3) n`,
    });
    expect(await follower.follow()).toEqual({ wentBack: false });
    const written = await readFile(path, 'utf8');
    const [before] = await withoutJournal.query<{ rows: number }>(count);
    await withoutJournal.transaction(forgetRevocations);
    const [after] = await withoutJournal.query<{ rows: number }>(count);
    expect(await follower.follow()).toEqual({ wentBack: false });
    expect(await readFile(path, 'utf8')).toBe(written);
    expect((before?.rows ?? 0) - (after?.rows ?? 0)).toBe(2);
  } finally {
    await journal.close();
  }
});
