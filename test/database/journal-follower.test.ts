// Guarantee: each revocation is in the revocation journal once, however often and by however many processes it is
// looked for, also after somebody has edited the file.
import { mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/database.ts';
import { RevocationJournal } from '#database/revocation-journal.ts';
import { JournalFollower } from '#gateway/restore/journal-follower.ts';
import { revokeKey } from '#repositories/keys/keys.ts';
import { readPlace } from '#repositories/restores.ts';
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
  }
});

it('a revocation that commits after thousands of later ones gets its line, too', async () => {
  const journal = await RevocationJournal.open(join(directory, 'late'));
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
});

it('the deletion of old acts is not taken for a database that was set back', async () => {
  const path = join(directory, 'old');
  const journal = await RevocationJournal.open(path);
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
});

describe('a file that is edited while it is in use', () => {
  /** As `sed -i` and editors do. */
  const replace = async (path: string, text: string) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };

  const edited = async (name: string, edit: (path: string) => Promise<void>) => {
    const path = join(directory, name);
    const journal = await RevocationJournal.open(path);
    await journal.begin((await readPlace(withoutJournal)).deploymentId);
    const withJournal = await openDatabase({ url: created.url, journal });
    try {
      const follower = new JournalFollower(withoutJournal, journal);
      const firm = await makeFirm(withoutJournal);
      const revoked: string[] = [];
      const revoke = async () => {
        const { id } = await makeKey(withoutJournal, firm);
        await revokeKey(withJournal, id, operator);
        revoked.push(id);
      };
      await revoke();
      for (let look = 0; look < 2; look++) await follower.follow();
      const { deploymentId } = await journal.read();
      const before = await readFile(path, 'utf8');
      await edit(path);
      await revoke();
      // By the process that has made the revocation, before any follower has looked.
      const { row_id } = JSON.parse((await readFile(path, 'utf8')).trim().split('\n').at(-1) ?? '');
      expect(row_id).toBe(revoked[1]);
      for (let look = 0; look < 3; look++) expect(await follower.follow()).toEqual({ wentBack: false });
      const written = (await journal.read()).revocations.map((one) => one.row_id);
      expect(written.filter((one) => revoked.includes(one)).sort()).toEqual([...revoked].sort());
      expect((await readFile(path, 'utf8')).length).toBeGreaterThan(before.length);
      expect(deploymentId).not.toBeNull();
      expect((await journal.read()).deploymentId).toBe(deploymentId);
    } finally {
      await withJournal.close();
    }
  };

  it('gets later lines at its path, and again those that it lost', async () => {
    await edited('replaced', (path) => replace(path, '\n'));
    await edited('shortened', (path) => truncate(path, 0));
    await edited('same', async (path) => replace(path, await readFile(path, 'utf8')));
  });

  it('is not created anew where it is missing: the revocation is refused an answer, and its line added later', async () => {
    const path = join(directory, 'missing');
    const journal = await RevocationJournal.open(path);
    const withJournal = await openDatabase({ url: created.url, journal });
    try {
      const follower = new JournalFollower(withoutJournal, journal);
      await follower.follow();
      await rename(path, `${path}.away`);
      const { id } = await makeKey(withoutJournal, await makeFirm(withoutJournal));
      await expect(revokeKey(withJournal, id, operator)).rejects.toMatchObject({ code: 'service_unavailable' });
      await expect(follower.follow()).rejects.toMatchObject({ code: 'ENOENT' });
      await rename(`${path}.away`, path);
      expect(await follower.follow()).toEqual({ wentBack: false });
      expect((await journal.read()).revocations.filter(({ row_id }) => row_id === id)).toHaveLength(1);
    } finally {
      await withJournal.close();
    }
  });
});
