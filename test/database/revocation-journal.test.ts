// Guarantee: the revocation journal contains every revocation and nothing else, and a backup without them gets them
// from it.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFile, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ALL_SCOPES, scopeSet } from '#core/scopes.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { RevocationJournal } from '#database/revocation-journal.ts';
import { JournalFollower } from '#gateway/restore/journal-follower.ts';
import { requireServable, UnconfirmedDatabase } from '#gateway/restore/servable.ts';
import type { Grant } from '#repositories/grants/grant-queries.ts';
import { changeGrant, revokeGrant } from '#repositories/grants/grants.ts';
import { changeKey } from '#repositories/keys/key-settings.ts';
import { rotateKey } from '#repositories/keys/keys.ts';
import { readPlace } from '#repositories/restores.ts';
import { runHere } from '#test/cli/portico.ts';
import { createMigratedDatabase, type TestDatabase } from '#test/support/database.ts';
import { urlOf, withClient } from '#test/support/database-server.ts';
import { type Key, makeClient, makeFirm, makeGrant, makeKey } from '#test/support/scenario.ts';

let directory: string;
const copies: string[] = [];

/** A copy of a database without connections, like a restored backup; the product recognises it as a copy. */
async function copyOf(url: string): Promise<string> {
  const [admin, from] = [inject('services').postgresUrl, new URL(url).pathname.slice(1)];
  const name = `${from}_${copies.length}`;
  await withClient(admin, (client) => client.query(`create database ${name} template ${from}`));
  copies.push(name);
  return urlOf(admin, name);
}

async function dropCopies(): Promise<void> {
  for (const name of copies)
    await withClient(inject('services').postgresUrl, (client) => client.query(`drop database ${name} with (force)`));
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-journal-'));
});
afterAll(() => rm(directory, { recursive: true }));

it('a transaction that fails at its commit leaves no line', async () => {
  const created = await createMigratedDatabase();
  const journal = await RevocationJournal.open(join(directory, 'failed'));
  const database = await openDatabase({ url: created.url, journal });
  try {
    const key = await makeKey(database, await makeFirm(database));
    const [kept, revoked] = [await makeClient(database), await makeClient(database)];
    const [failing, standing] = [await makeGrant(database, key, kept), await makeGrant(database, key, revoked)];
    // Fires after the trigger of the journal.
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
    await created.drop();
  }
});

describe('in a restored backup', () => {
  const operator = { kind: 'operator', id: 'test' } as const;
  let original: TestDatabase;
  let copyUrl: string;
  let key: Key;
  let early: Grant;
  let late: Grant;
  let journal: RevocationJournal;

  /** Runs `work` on the database, with the journal if one is given. */
  async function using<Result>(
    url: string,
    withJournal: RevocationJournal | null,
    work: (database: Database) => Promise<Result>,
  ) {
    const database = await openDatabase({ url, journal: withJournal });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }
  const inOriginal = <Result>(withJournal: RevocationJournal | null, work: (database: Database) => Promise<Result>) =>
    using(original.url, withJournal, work);

  beforeAll(async () => {
    original = await createMigratedDatabase();
    journal = await RevocationJournal.open(join(directory, 'whole'));
    await inOriginal(journal, async (database) => {
      await journal.begin((await readPlace(database)).deploymentId);
      key = await makeKey(database, await makeFirm(database));
      early = await makeGrant(database, key, await makeClient(database));
      late = await makeGrant(database, key, await makeClient(database));
      await database.query({
        text: `insert into revocations (at, table_name, row_id) values (now() - interval '10 days', 'portal_sessions', 'pss_old'),
          (now() - interval '8 days', 'portal_sessions', 'pss_new'), (now() - interval '2 hours', 'grants', 'grt_gone')`,
      });
      await revokeGrant(database, early.id, operator);
    });
    copyUrl = await copyOf(original.url);
    await inOriginal(journal, (database) => revokeGrant(database, late.id, operator));
  });
  afterAll(async () => {
    await dropCopies();
    await original.drop();
  });

  const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const lines = async (path = journal.path) => (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const opened = async (name: string, content: readonly string[]) => {
    const path = join(directory, name);
    await writeFile(path, content.map((line) => `${line}\n`).join(''));
    return RevocationJournal.open(path);
  };
  const serve = (url: string, withJournal: RevocationJournal) =>
    using(url, withJournal, (database) => requireServable(database));

  it('a journal that lacks revocations of the backup is refused, until a follower completes it from its own database', async () => {
    const backup = await copyOf(copyUrl);
    const cut = await opened(
      'cut',
      (await lines()).filter((line) => !line.includes('grt_gone')),
    );
    await expect(serve(backup, cut)).rejects.toThrow('lacks revocations that the database knows');
    const restored = await runHere({ DATABASE_URL: backup }, 'restore', '--journal', cut.path);
    expect(restored).toMatchObject({ code: 1 });
    expect(restored.stderr).toContain('lacks revocations that the database knows');
    await expect(serve(backup, cut)).rejects.toThrow(UnconfirmedDatabase);
    await inOriginal(cut, (database) => new JournalFollower(database, cut).follow());
    expect((await cut.read()).revocations.map(({ row_id }) => row_id)).toContain('grt_gone');
  });

  it('a journal that was shortened as docs/restoring.md says repeats the same revocations', async () => {
    const copy = await opened('shortened', await lines());
    const handbook = await readFile(new URL('../../docs/restoring.md', import.meta.url), 'utf8');
    // As by root, for a gateway that runs as another user.
    if (process.getuid?.() === 0) await chown(copy.path, 65_534, 65_534);
    const { uid, mode } = await stat(copy.path);
    const [, recipe = ''] = /```sh\n(umask 077\nawk [^`]*)```/.exec(handbook) ?? [];
    execFileSync('sh', ['-e', '-c', recipe.replaceAll('FILE', copy.path)]);
    expect(await stat(copy.path)).toMatchObject({ uid, mode: (mode & ~0o777) | 0o600 });
    const left = await lines(copy.path);
    expect(left).toEqual((await lines()).filter((line) => !line.includes('pss_old')));
    const shortened = await RevocationJournal.open(copy.path);
    expect((await serve(await copyOf(copyUrl), shortened)).repeated).toBe(1);
  });

  it('no access is taken away beyond what was revoked', async () => {
    const firm = await inOriginal(null, (database) => makeFirm(database));
    const made = (changes: { expiresAt?: string } = {}) =>
      inOriginal(null, async (database) => {
        const [own, client] = [await makeKey(database, firm), await makeClient(database)];
        return { key: own, client, grant: await makeGrant(database, own, client, changes) };
      });
    const [ending, narrowed, prolonged] = [later(1), await made(), await made({ expiresAt: later(1) })];
    const [rotated, renamed, moved] = [await made(), await made(), await made()];
    const backup = await copyOf(original.url);
    await inOriginal(journal, async (database) => {
      await changeGrant(database, narrowed.grant.id, { scopes: scopeSet(['registry']), expiresAt: ending }, operator);
      await changeGrant(database, prolonged.grant.id, { expiresAt: later(9) }, operator);
      const secret = { hash: Buffer.alloc(32, rotated.key.id), prefix: 'p', lastFour: 'last' };
      const bounds = { maxKeys: 1_000, lifetimeDays: null };
      await rotateKey(database, rotated.key.id, { secret, overlapMs: 3_600_000 }, operator, bounds);
      const networks = { name: 'Other', allowedNetworks: ['203.0.113.0/24'] };
      await changeKey(database, renamed.key.id, networks, operator, { lifetimeDays: null });
      const text = 'update users set email = $2, name = $3, updated_at = now() where id = $1';
      await database.query({ text, values: [moved.client.id, `other-${moved.client.email}`, 'Other'] });
    });
    await serve(backup, journal);
    const ids = [narrowed, prolonged, rotated, renamed, moved].map(({ grant }) => grant.id);
    const text = `select g.status, g.scopes, g.expires_at, k.revoked_at is null and k.expires_at is null as endless,
        k.revoked_at is null and k.expires_at > now() as ending, k.allowed_networks::text[] as networks
      from unnest($1::text[]) with ordinality as asked (id, n) join grants g using (id) join api_keys k on k.id = g.lineage_id
      order by n`;
    const found = await using(backup, null, (database) => database.query({ text, values: [ids] }));
    const all = { status: 'active', scopes: ALL_SCOPES, expires_at: null, endless: true, ending: null, networks: [] };
    expect(found).toEqual([
      { ...all, scopes: scopeSet(['registry']), expires_at: ending },
      { ...all, expires_at: prolonged.grant.expiresAt },
      { ...all, endless: false, ending: true },
      { ...all, networks: ['203.0.113.0/24'] },
      all,
    ]);
  });

  it('changes are repeated in their own order, not in that of their lines', async () => {
    const grant = await inOriginal(null, async (database) => makeGrant(database, key, await makeClient(database)));
    const backup = await copyOf(original.url);
    const change = (withJournal: RevocationJournal | null, category: string) =>
      inOriginal(withJournal, (database) =>
        changeGrant(database, grant.id, { filter: { type: 'category', categories: [category] } }, operator),
      );
    // As by hand: the journal gets the line later, from the follower.
    await change(null, 'CN');
    await change(journal, 'WT');
    await inOriginal(journal, (database) => new JournalFollower(database, journal).follow());
    expect((await lines()).slice(-2).map((line) => JSON.parse(line).terms.filter.categories)).toEqual([['WT'], ['CN']]);
    await serve(backup, journal);
    const text = 'select filter from grants where id = $1';
    const kept = await using(backup, null, (database) => database.query({ text, values: [grant.id] }));
    expect(kept).toEqual([{ filter: { type: 'category', categories: ['WT'] } }]);
  });
});

describe('a journal', () => {
  const line = (id: string) =>
    JSON.stringify({ id, table_name: 'grants', row_id: `grt_${id}`, changed: null, terms: {} });

  it('is read from the end of the last read, up to the last complete line', async () => {
    const path = join(directory, 'growing');
    await writeFile(path, `\n${line('1')}\n\n${line('2')}\n${line('3').slice(0, 9)}`);
    const journal = await RevocationJournal.open(path);
    const first = await journal.idsFrom(0);
    expect(first.ids).toEqual(['1', '2']);
    await appendFile(path, `${line('3').slice(9)}\n\n${line('ü')}\n`);
    const second = await journal.idsFrom(first.end);
    expect(second.ids).toEqual(['3', 'ü']);
    expect(await journal.idsFrom(second.end)).toEqual({ ids: [], end: second.end });
  });

  it('of many chunks is read completely, and an incomplete last line is counted', async () => {
    const path = join(directory, 'long');
    const ids = Array.from({ length: 10_000 }, (_, at) => `${at}-ü`);
    await writeFile(path, `${ids.map(line).join('\n')}\n${line('cut').slice(0, 20)}`);
    const journal = await RevocationJournal.open(path);
    const { revocations, unreadable } = await journal.read();
    expect(revocations.map(({ id }) => id)).toEqual(ids);
    expect(unreadable).toBe(1);
    expect((await journal.idsFrom(0)).ids).toEqual(ids);
  });
});

it('a file with other content is refused and stays as it is', async () => {
  const target = await createMigratedDatabase();
  const path = join(directory, 'notes');
  await writeFile(path, 'my notes');
  try {
    const { code, stderr } = await runHere({ DATABASE_URL: target.url, REVOCATION_JOURNAL: path }, 'key', 'list');
    expect({ code, stderr }).toEqual({ code: 1, stderr: `portico: ${path} is not a revocation journal\n` });
    expect(await readFile(path, 'utf8')).toBe('my notes');
  } finally {
    await target.drop();
  }
});

it('a journal in a directory that cannot be synced is closed again', () => {
  // Directories of /proc cannot be synced.
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
