// Guarantee: the revocation journal has what took access away, and nothing else; it is read piece by piece, and leaves no file open.
import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { RevocationJournal } from '#database/revocation-journal.ts';
import { revokeGrant } from '#repositories/grants/grants.ts';
import { createMigratedDatabase } from '#test/support/database.ts';
import { makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-journal-'));
});
afterAll(() => rm(directory, { recursive: true }));

it('a transaction that fails at its commit leaves no line, whatever it was told of before', async () => {
  const created = await createMigratedDatabase();
  const journal = await RevocationJournal.open(join(directory, 'failed'));
  const database = await openDatabase({ url: created.url, journal });
  try {
    const key = await makeKey(database, await makeFirm(database));
    const [kept, revoked] = [await makeClient(database), await makeClient(database)];
    const [failing, standing] = [await makeGrant(database, key, kept), await makeGrant(database, key, revoked)];
    // Fires after the one that tells.
    await database.query({
      text: `create table late ();
        create function late() returns trigger language plpgsql as $$ begin raise exception 'late'; end $$;
        create constraint trigger zz_late after insert on late deferrable initially deferred
          for each row execute function late()`,
    });
    const begun = database.transaction(async (sql) => {
      await revokeGrant(sql, failing.id, { kind: 'operator', id: 'test' });
      await sql.query({ text: 'insert into late default values' });
    });
    await expect(begun).rejects.toThrow('late');
    await revokeGrant(database, standing.id, { kind: 'operator', id: 'test' });
    const rows = (await journal.read()).revocations.map(({ row_id }) => row_id);
    expect(rows).toContain(standing.id);
    expect(rows).not.toContain(failing.id);
  } finally {
    await database.close();
    await journal.close();
    await created.drop();
  }
});

describe('a journal', () => {
  const line = (id: string) =>
    JSON.stringify({ id, table_name: 'grants', row_id: `grt_${id}`, changed: null, terms: {} });

  it('is read from where it was read before, to the last whole line', async () => {
    const path = join(directory, 'growing');
    await writeFile(path, `\n${line('1')}\n\n${line('2')}\n${line('3').slice(0, 9)}`);
    const journal = await RevocationJournal.open(path);
    try {
      const first = await journal.idsFrom(0);
      expect(first.ids).toEqual(['1', '2']);
      await appendFile(path, `${line('3').slice(9)}\n\n${line('ü')}\n`);
      const second = await journal.idsFrom(first.end);
      expect(second.ids).toEqual(['3', 'ü']);
      expect(await journal.idsFrom(second.end)).toEqual({ ids: [], end: second.end });
    } finally {
      await journal.close();
    }
  });

  it('of many pieces is read as a whole, and what is cut off at its end is told', async () => {
    const path = join(directory, 'long');
    const ids = Array.from({ length: 10_000 }, (_, at) => `${at}-ü`);
    await writeFile(path, `${ids.map(line).join('\n')}\n${line('cut').slice(0, 20)}`);
    const journal = await RevocationJournal.open(path);
    try {
      const { revocations, unreadable } = await journal.read();
      expect(revocations.map(({ id }) => id)).toEqual(ids);
      expect(unreadable).toBe(1);
      expect((await journal.idsFrom(0)).ids).toEqual(ids);
    } finally {
      await journal.close();
    }
  });
});

it('a journal in a directory that cannot be written through to its disk is closed again', () => {
  // A directory of the kernel's own has no disk.
  const code = `
    const { RevocationJournal } = await import('#database/revocation-journal.ts');
    await RevocationJournal.open('/proc/self/comm').then(() => console.log('opened'), () => console.log('refused'));
    for (let count = 0; count < 5; count++) {
      gc();
      await new Promise((wake) => setTimeout(wake, 20));
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'refused\n', stderr: '' });
});
