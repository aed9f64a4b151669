// Guarantee: the change log reports "unchanged" only if nothing has changed, however the database was changed.
import { Migration } from '@mikro-orm/migrations';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '#database/database.ts';
import { migrate, readMissingTriggers, requireUsable } from '#database/migrate.ts';
import { migrations } from '#database/migrations/index.ts';
import type { DatabaseSnapshot } from '#database/snapshot.ts';
import { type ChangeAnswer, type ChangeQuestion, readChanges } from '#repositories/admission/change-log.ts';
import { forgetChanges } from '#repositories/maintenance.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { readAdmission } from '#test/support/recorded.ts';
import { furnish, type Item, makeClient, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
let item: Item;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  partner = await makePartner(gateway);
  item = await makeItem(gateway.database, partner.client);
  await furnish(gateway.database, partner.client, item);
});

async function present(): Promise<DatabaseSnapshot> {
  const found = await readAdmission(gateway.database, { key: partner.key.id, clientId: partner.client.id });
  if (found === null) throw new Error('the key is not admitted');
  return found.moment.snapshot;
}

const questionOf = (seen: DatabaseSnapshot | null, horizon = false): ChangeQuestion => ({
  ...{ keyId: partner.key.id, firmId: partner.key.firmId, clientId: partner.client.id },
  ...{ admission: seen, portfolio: seen, horizon },
});

async function ask(seen: DatabaseSnapshot, horizon = false): Promise<ChangeAnswer> {
  const [answer] = await readChanges(gateway.database, [questionOf(seen, horizon)]);
  return answer as ChangeAnswer;
}

/** Creates one trigger and drops another, as a later migration may. */
class Further extends Migration {
  override up(): void {
    this.addSql(`
create trigger further after truncate on items for each statement execute function items_uncounted();
alter table items enable always trigger further;
create trigger passing after truncate on items for each statement execute function items_uncounted();
drop trigger passing on items;`);
  }
}

const unchanged = async (seen: DatabaseSnapshot) => (await ask(seen)).portfolioUnchanged;

describe.each([{ horizon: false }, { horizon: true }])('readChanges with horizon: $horizon', ({ horizon }) => {
  let seen: DatabaseSnapshot;
  const isUnchanged = async (since = seen) => (await ask(since, horizon)).portfolioUnchanged;
  beforeEach(async () => {
    seen = await present();
    expect(await isUnchanged()).toBe(true);
  });

  it('reports a portfolio as unchanged while portfolios of other clients change', async () => {
    await makeItem(gateway.database, await makeClient(gateway.database));
    expect(await isUnchanged()).toBe(true);
  });

  it('reports a change of the portfolio', async () => {
    await makeItem(gateway.database, partner.client);
    expect(await isUnchanged()).toBe(false);
  });

  it('reports a change of reference rows', async () => {
    await gateway.database.query({ text: "update categories set name = name where code = 'WT'" });
    expect(await isUnchanged()).toBe(false);
  });

  it('reports a change for a snapshot of another epoch, and for one in the future, as after a restore', async () => {
    expect(await isUnchanged({ ...seen, epoch: `${seen.epoch}0` })).toBe(false);
    expect(await isUnchanged({ ...seen, snapshot: '900000000:900000000:' })).toBe(false);
  });

  it('returns a horizon only if it is requested', async () => {
    expect((await ask(seen, horizon)).horizon !== null).toBe(horizon);
  });
});

it('readChanges answers several questions as it answers each alone', async () => {
  const seen = await present();
  const past = { ...seen, snapshot: '3:3:' };
  const other = await makePartner(gateway);
  const theirs = { keyId: other.key.id, firmId: other.key.firmId, clientId: other.client.id };
  const questions = [
    questionOf(seen),
    questionOf(past),
    questionOf(null),
    { ...questionOf(seen), portfolio: past },
    { ...questionOf(seen), ...theirs, admission: past },
    questionOf(seen, true),
  ];
  const decided = ({ admissionUnchanged, portfolioUnchanged, horizon }: ChangeAnswer) => [
    ...[admissionUnchanged, portfolioUnchanged, horizon !== null],
  ];
  const alone: ChangeAnswer[] = [];
  for (const question of questions) alone.push(...(await readChanges(gateway.database, [question])));
  expect((await readChanges(gateway.database, questions)).map(decided)).toEqual(alone.map(decided));
  expect(alone.map(decided)).toEqual([
    [true, true, false],
    [false, false, false],
    [false, false, false],
    [true, false, false],
    [false, true, false],
    [true, true, true],
  ]);
});

describe('unusual ways to change the database', () => {
  const retitle = (sql: Sql) =>
    sql.query({ text: "update items set title = 'Other' where id = $1", values: [item.id] });
  const syncFull = async () => {
    const { body } = await partner.get(`/assets?updated_since=${encodeURIComponent(new Date().toISOString())}`);
    return body.sync.full;
  };

  it('session_replication_role does not silence the triggers', async () => {
    const seen = await present();
    const before = await itemNow();
    await gateway.database.transaction(async (sql) => {
      await sql.query({ text: 'set local session_replication_role = replica' });
      await retitle(sql);
    });
    expect(await unchanged(seen)).toBe(false);
    const after = await itemNow();
    expect(after.revision).toBe(before.revision + 1);
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it('every trigger fires in every session', async () => {
    const conditional = await gateway.database.query({
      text: "select tgname from pg_trigger where not tgisinternal and tgenabled <> 'A'",
    });
    expect(conditional).toEqual([]);
  });

  it('every trigger function has a fixed search_path, so that no session can redirect it to other tables', async () => {
    const withoutPath = await gateway.database.query({
      text: `select distinct p.proname from pg_trigger t join pg_proc p on p.oid = t.tgfoid
        where not t.tgisinternal and not 'search_path=public, pg_temp' = any(coalesce(p.proconfig, '{}'))`,
    });
    expect(withoutPath).toEqual([]);
  });

  it.each(['public', '', 'pg_catalog'])('a temporary table hides no change, with search_path = "%s"', async (path) => {
    const seen = await present();
    const { updated_at } = await itemNow();
    const countRevocations = async () => {
      const [row] = await gateway.database.query<{ count: number }>({ text: 'select count(*) from revocations' });
      return row?.count ?? 0;
    };
    const revocations = await countRevocations();
    await gateway.database.transaction(async (sql) => {
      for (const table of ['changes', 'item_changes', 'removals', 'revocations', 'deleted_ids', 'items'])
        await sql.query({
          text: `create temporary table ${table} (like public.${table} including all) on commit drop`,
        });
      await sql.query({ text: `select set_config('search_path', $1, true)`, values: [path] });
      await sql.query({ text: "update public.items set title = 'Other' where id = $1", values: [item.id] });
      await sql.query({
        text: 'update public.firms set plan_active = false where id = $1',
        values: [partner.key.firmId],
      });
    });
    expect(await ask(seen)).toMatchObject({ admissionUnchanged: false, portfolioUnchanged: false });
    expect((await itemNow()).updated_at > updated_at).toBe(true);
    expect(await countRevocations()).toBe(revocations + 1);
    await gateway.database.query({ text: 'update firms set plan_active = true' });
    const since = encodeURIComponent((await partner.get('/assets')).body.sync.as_of);
    await gateway.database.transaction(async (sql) => {
      await sql.query({ text: 'create temporary table removals (like public.removals including all) on commit drop' });
      await sql.query({ text: `select set_config('search_path', $1, true)`, values: [path] });
      await sql.query({ text: 'delete from public.items where id = $1', values: [item.id] });
    });
    const { body } = await partner.get(`/assets?updated_since=${since}`);
    expect(body).toMatchObject({ sync: { full: false }, removed: [{}] });
  });

  const bypasses: Record<string, (sql: Sql) => Promise<unknown>> = {
    'disabling triggers for a while': async (sql) => {
      await sql.query({ text: 'alter table items disable trigger user' });
      await retitle(sql);
      await sql.query({ text: 'alter table items enable trigger user' });
    },
    'disabling triggers and restoring their exact state': async (sql) => {
      const triggers = await sql.query<{ name: string }>({
        text: "select tgname as name from pg_trigger where tgrelid = 'items'::regclass and not tgisinternal",
      });
      await sql.query({ text: 'alter table items disable trigger user' });
      await retitle(sql);
      for (const { name } of triggers) await sql.query({ text: `alter table items enable always trigger ${name}` });
    },
    'ALTER … TYPE … USING': (sql) =>
      sql.query({ text: `alter table items alter column title type text using upper(title)` }),
    'TRUNCATE of a table': (sql) => sql.query({ text: 'truncate valuations' }),
    'TRUNCATE of the change log': (sql) => sql.query({ text: 'truncate changes' }),
  };

  it.each(Object.entries(bypasses))('%s ends the epoch, and partners synchronise in full once', async (_, bypass) => {
    const seen = await present();
    expect(await syncFull()).toBe(false);
    await gateway.database.transaction(bypass);
    const answer = await ask(seen);
    expect([answer.admissionUnchanged, answer.portfolioUnchanged]).toEqual([false, false]);
    expect(answer.moment.snapshot.epoch).not.toBe(seen.epoch);
    // Only once: a delta from a later time is not full.
    const later = new Date(Date.now() + 60_000).toISOString();
    const { body } = await partner.get('/assets?updated_since=2026-01-01T00:00:00Z');
    expect(body.sync.full).toBe(true);
    expect((await partner.get(`/assets?updated_since=${later}`)).body.sync.full).toBe(false);
    // True once all transactions that were open at that time have ended, those of other databases included.
    await expect.poll(async () => unchanged(await present())).toBe(true);
  });

  it('TRUNCATE of items resets the totals', async () => {
    const counted = async () => (await partner.get('/portfolio/summary')).body.data.item_count;
    expect(await counted()).toBe(1);
    await gateway.database.query({ text: 'truncate items cascade' });
    expect(await counted()).toBe(0);
    await makeItem(gateway.database, partner.client);
    expect(await counted()).toBe(1);
  });

  it('nothing cached is used while triggers are disabled, for however long', async () => {
    const titles = async () => (await partner.get('/assets')).body.data.map(({ title }: { title: string }) => title);
    const enable = async (table: string) => {
      const text = `select tgname as name from pg_trigger where tgrelid = $1::regclass and not tgisinternal`;
      for (const { name } of await gateway.database.query<{ name: string }>({ text, values: [table] }))
        await gateway.database.query({ text: `alter table ${table} enable always trigger ${name}` });
    };
    try {
      for (const table of ['items', 'grants'])
        await gateway.database.query({ text: `alter table ${table} disable trigger user` });
      // The first request resumes the change log; from the second on, responses may be cached.
      for (let count = 0; count < 4; count++) expect(await titles()).not.toContain('Other');
      await retitle(gateway.database);
      expect(await titles()).toEqual(['Other']);
      const text = `update grants set status = 'revoked', ended_at = now() where id = $1`;
      await gateway.database.query({ text, values: [partner.grant.id] });
      expect((await partner.get('/assets')).status).toBe(403);
    } finally {
      for (const table of ['items', 'grants']) await enable(table);
    }
    await expect.poll(async () => unchanged(await present())).toBe(true);
  });

  it('no request is admitted while a trigger is missing, and cached state is void once it is restored', async () => {
    const seen = await present();
    const run = (text: string) => gateway.database.query({ text });
    expect((await partner.get('/assets')).status).toBe(200);
    await run('drop trigger items_updated on items');
    await retitle(gateway.database);
    const refused = await partner.get('/assets');
    expect([refused.status, refused.body.error.code]).toEqual([503, 'service_unavailable']);
    const lacks = /lacks triggers, without which changes go unnoticed: items\.items_updated$/;
    await expect(requireUsable(gateway.database)).rejects.toThrow(lacks);
    const further = [...migrations, { name: 'Migration9999Further', class: Further }];
    await expect(migrate(gateway.database, 'PTC', { list: further })).rejects.toThrow(lacks);
    const [missing] = await readMissingTriggers(gateway.database);
    await run(missing?.definition ?? '');
    await run('alter table items enable always trigger items_updated');
    expect((await partner.get('/assets')).body.data[0].title).toBe('Other');
    expect(await unchanged(seen)).toBe(false);
    await requireUsable(gateway.database);
    // The expected triggers are those that the newest migration leaves.
    expect(await migrate(gateway.database, 'PTC', { list: further })).toEqual(['Migration9999Further']);
    expect(await readMissingTriggers(gateway.database)).toEqual([]);
    await run('drop trigger further on items');
    expect(await readMissingTriggers(gateway.database)).toMatchObject([{ relation: 'items', name: 'further' }]);
    await run("delete from expected_triggers where name = 'further'");
    await run("delete from mikro_orm_migrations where name = 'Migration9999Further'");
    await expect.poll(async () => unchanged(await present())).toBe(true);
  });

  it('a crash ends the epoch, because recovery empties the unlogged table that names it', async () => {
    const seen = await present();
    const since = encodeURIComponent((await partner.get('/assets')).body.sync.as_of);
    expect((await partner.get(`/assets?updated_since=${since}`)).body.sync.full).toBe(false);
    await gateway.database.query({ text: 'delete from database_run' });
    expect(await unchanged(seen)).toBe(false);
    // A restored copy of the server's files, which may be old, looks the same.
    expect((await partner.get(`/assets?updated_since=${since}`)).body.sync.full).toBe(true);
    const again = await present();
    expect(again.epoch).not.toBe(seen.epoch);
    await expect.poll(async () => unchanged(await present())).toBe(true);
  });

  it('deleting rows of the change log does not hide a change', async () => {
    const seen = await present();
    await retitle(gateway.database);
    await gateway.database.query({ text: 'delete from changes' });
    expect(await unchanged(seen)).toBe(false);
  });

  it('deleting removals too early makes partners synchronise in full', async () => {
    await gateway.database.query({ text: 'delete from items where id = $1', values: [item.id] });
    const since = encodeURIComponent((await partner.get('/assets')).body.sync.as_of);
    expect((await partner.get(`/assets?updated_since=${since}`)).body.sync.full).toBe(false);
    await gateway.database.query({ text: 'delete from removals' });
    expect((await partner.get(`/assets?updated_since=${since}`)).body.sync.full).toBe(true);
  });

  it('rows of the change log cannot be updated', async () => {
    for (const [table, column] of [
      ['changes', 'at'],
      ['item_changes', 'at'],
      ['removals', 'removed_at'],
    ])
      await expect(gateway.database.query({ text: `update ${table} set ${column} = now()` })).rejects.toThrow(
        'never updated',
      );
  });

  /** Changes the item in a transaction whose row of the change log is dated nine days back. */
  const retitleLongAgo = async (sql: Sql) => {
    await sql.query({
      text: "insert into changes (subject, at) values ('portfolio:' || $1, now() - interval '9 days')",
      values: [partner.client.id],
    });
    await retitle(sql);
  };

  /** Transactions of other databases on the server delay the clean-up as well. */
  const expectCleanUp = () => expect.poll(() => forgetChanges(gateway.database, 91)).toBeGreaterThan(0);

  it('a change by a transaction that was open for days is reported after its commit, also after a clean-up', async () => {
    const seen = await gateway.database.transaction(async (sql) => {
      await retitleLongAgo(sql);
      return present();
    });
    await expectCleanUp();
    expect(await unchanged(seen)).toBe(false);
  });

  it('a clean-up keeps rows that are newer than the start of the oldest open transaction', async () => {
    await gateway.database.transaction(async (sql) => {
      await sql.query({ text: 'select pg_current_xact_id()' });
      await gateway.database.transaction(retitleLongAgo);
      expect(await forgetChanges(gateway.database, 91)).toBe(0);
    });
    await expectCleanUp();
  });

  it('a walk whose order is no longer known is refused with 400', async () => {
    for (let count = 0; count < 3; count++) await makeItem(gateway.database, partner.client);
    const walk = '/assets?updated_since=2026-01-01T00:00:00Z&page_size=2';
    const { body } = await partner.get(walk);
    const next = `${walk}&cursor=${body.pagination.next_cursor}`;
    expect((await partner.get(next)).status).toBe(200);
    await retitle(gateway.database);
    expect((await partner.get(next)).status).toBe(200);
    await gateway.database.query({ text: 'delete from item_changes' });
    const refused = await partner.get(next);
    expect([refused.status, refused.body.error.param]).toEqual([400, 'cursor']);
  });

  it('migrating an up-to-date database does not end the epoch', async () => {
    const { epoch } = await present();
    expect(await migrate(gateway.database, 'PTC')).toEqual([]);
    expect((await present()).epoch).toBe(epoch);
  });

  it('the client, id and registry id of an item cannot change', async () => {
    const other = await makeClient(gateway.database);
    for (const [column, value] of [
      ['client_id', other.id],
      ['registry_id', 'PTC-WT-01K5Z8Q4T7M2W9X3Y6A1B5C8D0'],
    ])
      await expect(
        gateway.database.query({ text: `update items set ${column} = $2 where id = $1`, values: [item.id, value] }),
      ).rejects.toThrow('keeps its id');
  });
});

async function itemNow(): Promise<{ revision: number; updated_at: string }> {
  const [row] = await gateway.database.query<{ revision: number; updated_at: string }>({
    text: 'select revision, updated_at from items where id = $1',
    values: [item.id],
  });
  return row as { revision: number; updated_at: string };
}
