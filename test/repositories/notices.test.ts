// Notices of ends, first uses and limits, each written once and in time, and the outbox from which they are sent.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeKeySecret } from '#auth/key-format.ts';
import { type AccessEvent, createEvents, type RequestEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES } from '#core/scopes.ts';
import type { Database } from '#database/database.ts';
import { createNotices } from '#gateway/notices/notices.ts';
import { startNoticing } from '#portal/notices/noticing.ts';
import type { Firm } from '#repositories/firms.ts';
import { changeGrant, grantWithoutRequest, revokeGrant } from '#repositories/grants/grants.ts';
import { rotateKey } from '#repositories/keys/keys.ts';
import { findDue } from '#repositories/notices/due.ts';
import { notifyFirstUses, notifyNearLimits } from '#repositories/notices/noticed.ts';
import {
  delayNotice,
  endNotice,
  LEASE_SECONDS,
  MAX_DELAY_SECONDS,
  type Notice,
  outboxState,
  takeNotice,
  tidyNotices,
} from '#repositories/notices/outbox.ts';
import type { User } from '#repositories/users.ts';
import { untilBlocked } from '#test/support/locks.ts';
import { asClient, KEY_BOUNDS, makeClient, makeFirm, makeKey, makeMember, openMigrated, operator } from './parties.ts';

const DAY = 86_400_000;

let database: Database;
let close: () => Promise<void>;
let firm: Firm;
let member: User;
let client: User;
beforeAll(async () => {
  ({ database, close } = await openMigrated());
});
afterAll(() => close?.());
beforeEach(async () => {
  await run('delete from notices');
  // Notifications began a year ago.
  await run(
    `update notice_looks set began_at = now_ms() - interval '365 days', looked_at = now_ms() - interval '5 minutes'`,
  );
  await run(`update grants set status = 'revoked', ended_at = now_ms() where status = 'active'`);
  await run(`update api_keys set expires_at = null`);
  firm = await makeFirm(database);
  [member, client] = [await makeMember(database, firm), await makeClient(database)];
});

const run = (text: string, values: unknown[] = []) => database.query({ text, values });
const notices = () =>
  database.query<{ kind: string; recipient: string; subject: string; details: Record<string, unknown> }>({
    text: 'select kind, recipient, subject, details from notices order by kind, recipient',
  });
const kinds = async () => (await notices()).map(({ kind }) => kind);
const inDays = (days: number, ms = 0) => new Date(Date.now() + days * DAY + ms).toISOString();

/** A grant of the client that ends at `expiresAt`, by default given long ago. */
async function grantUntil(expiresAt: string, { givenDaysAgo = 100, of = client } = {}) {
  const key = await makeKey(database, firm);
  const far = { keyId: key.id, clientId: of.id, scopes: ALL_SCOPES, filter: { type: 'all' as const } };
  const { id } = await grantWithoutRequest(database, { ...far, expiresAt: inDays(400) }, operator);
  await run(`update grants set expires_at = $2, activated_at = now() - $3 * interval '1 day' where id = $1`, [
    id,
    expiresAt,
    givenDaysAgo,
  ]);
  await run(`update grant_events set at = now() - $2 * interval '1 day' where grant_id = $1`, [id, givenDaysAgo]);
  await run('delete from notices where subject = $1', [id]);
  return id;
}

/** Looks for ends, with the last look `minutes` ago. */
async function look(minutes = 5): Promise<boolean> {
  await run(`update notice_looks set looked_at = now_ms() - $1 * interval '1 minute'`, [minutes]);
  return findDue(database);
}

describe('an end', () => {
  it('gets a notice to the client seven days ahead and when it has come, also under concurrent looks', async () => {
    const [soon, later, over] = [
      await grantUntil(inDays(7, -1_000)),
      await grantUntil(inDays(7, 600_000)),
      await grantUntil(inDays(0, -1_000)),
    ];
    await run(`update notice_looks set looked_at = now_ms() - interval '5 minutes'`);
    const looked = await Promise.all(Array.from({ length: 6 }, () => findDue(database)));
    expect(looked.filter(Boolean)).toHaveLength(1);
    const both = async () =>
      (await notices()).filter(({ recipient }) => recipient === client.id).map(({ kind, subject }) => [kind, subject]);
    expect(await both()).toEqual([
      ['grant_ended', over],
      ['grant_ending', soon],
    ]);
    // A look over the same time finds them again, and writes nothing.
    expect(await look(30)).toBe(true);
    expect(await both()).toHaveLength(2);
    expect(later).not.toBe(soon);
  });

  it('is found by a look that comes hours late, but not days after the end', async () => {
    await grantUntil(inDays(0, -5 * 3_600_000));
    await grantUntil(inDays(-5));
    expect(await look(6 * 60)).toBe(true);
    expect(await kinds()).toEqual(['grant_ended']);
    await look(30 * 24 * 60);
    expect(await kinds()).toEqual(['grant_ended']);
  });

  it('is found if the clock of the last look was ahead', async () => {
    await grantUntil(inDays(0, -1_000));
    expect(await look(-24 * 60)).toBe(true);
    expect(await kinds()).toEqual(['grant_ended']);
  });

  it('gets no notice if it was set within that time, or if the grant was revoked', async () => {
    await grantUntil(inDays(7, -1_000), { givenDaysAgo: 0 });
    const changed = await grantUntil(inDays(300));
    await changeGrant(database, changed, { expiresAt: inDays(6) }, asClient(client));
    const revoked = await grantUntil(inDays(7, -1_000));
    await revokeGrant(database, revoked, asClient(client));
    await run('delete from notices');
    await look(36 * 60);
    expect(await kinds()).toEqual([]);
  });

  it('gets a notice to each member of the firm 30 and 7 days ahead, one for all ends of a day', async () => {
    const second = await makeMember(database, firm);
    const today = new Date().toISOString().slice(0, 10);
    const noon = (days: number) => new Date(Date.parse(`${today}T12:00:00Z`) + days * DAY).toISOString();
    for (const owner of [client, await makeClient(database)]) await grantUntil(noon(30), { of: owner });
    await grantUntil(noon(7));
    await grantUntil(noon(12));
    const minutes = Math.ceil((Date.now() - Date.parse(`${today}T00:00:00Z`)) / 60_000) + 1;
    await look(minutes);
    const firms = (await notices()).filter(({ kind }) => kind === 'firm_grants_ending');
    expect(
      firms.map(({ recipient, subject, details }) => [recipient, subject, details.days, details.day]).sort(),
    ).toEqual(
      [member.id, second.id]
        .flatMap((one) => [30, 7].map((days) => [one, firm.id, days, noon(days).slice(0, 10)]))
        .sort(),
    );
    await look(minutes);
    expect((await notices()).filter(({ kind }) => kind === 'firm_grants_ending')).toHaveLength(4);
  });

  it('of a key gets a notice, unless the key was rotated or revoked, or the end was set within that time', async () => {
    const old = async (expiresAt: string) => {
      const { id } = await makeKey(database, firm);
      await run('update api_keys set expires_at = $2 where id = $1', [id, expiresAt]);
      await run(`update key_events set at = now() - interval '90 days' where key_id = $1`, [id]);
      return id;
    };
    const [month, week, revoked] = [
      await old(inDays(30, -1_000)),
      await old(inDays(7, -1_000)),
      await old(inDays(7, -1_000)),
    ];
    await run(`update api_keys set revoked_at = now_ms(), revoked_by = 'x:y' where id = $1`, [revoked]);
    const rotated = await old(inDays(7, 600_000));
    await rotateKey(database, rotated, { secret: makeKeySecret('sandbox') }, operator, KEY_BOUNDS);
    await run('update api_keys set expires_at = $2 where id = $1', [rotated, inDays(7, -1_000)]);
    await run(`update key_events set at = now() - interval '90 days' where key_id = $1`, [rotated]);
    await makeKey(database, firm, { expiresAt: inDays(7, 2_000) });
    await look();
    expect((await notices()).map(({ kind, subject, details }) => [kind, subject, details.days]).sort()).toEqual(
      [
        ['firm_key_ending', month, 30],
        ['firm_key_ending', week, 7],
      ].sort(),
    );
  });
});

describe('a notice from calls', () => {
  it('of a first use is written once, and not for grants from before notifications began', async () => {
    const [grant, early] = [await grantUntil(inDays(200)), await grantUntil(inDays(200), { givenDaysAgo: 500 })];
    const uses = [grant, early].map((grantId) => ({ grantId, at: inDays(0) }));
    await Promise.all([notifyFirstUses(database, uses), notifyFirstUses(database, uses)]);
    expect((await notices()).map(({ kind, subject }) => [kind, subject])).toEqual([['grant_first_used', grant]]);
    // Also if it was sent long ago.
    await run(`update notices set outcome = 'sent', ended_at = now() - interval '300 days'`);
    await tidyNotices(database);
    await notifyFirstUses(database, uses);
    expect(await kinds()).toEqual(['grant_first_used']);
  });

  it('of a call that arrives while others are being saved is written at the next save', async () => {
    const events = createEvents();
    const noticing = startNoticing(events, createNotices(database));
    const [first, second] = [await grantUntil(inDays(300)), await grantUntil(inDays(300))];
    const keys = [await makeKey(database, firm), await makeKey(database, firm)];
    const use = (grantId: string, keyId = '') => {
      events.emit('access', { grantId, status: 200, at: new Date().toISOString() } as AccessEvent);
      const nearLimit = { of: 'key', limit: 100, refused: true } as const;
      events.emit('request', { key: { id: keyId, firmId: firm.id, tier: 'sandbox' }, nearLimit } as RequestEvent);
    };
    use(first, keys[0]?.id);
    let saving = Promise.resolve();
    await database.transaction(async (sql) => {
      await sql.query({ text: 'lock table notices' });
      saving = noticing.save();
      await untilBlocked(database);
      use(second, keys[1]?.id);
    });
    await saving;
    await noticing.save();
    noticing.close();
    expect(await kinds()).toEqual([
      ...['firm_limit_refused', 'firm_limit_refused'],
      ...['grant_first_used', 'grant_first_used'],
    ]);
  });

  it('of a limit is written once a day for a key and its rotations, nearly reached and reached apart', async () => {
    const key = await makeKey(database, firm);
    const nearLimit = (refused: boolean, at: string) => ({
      keyId: key.id,
      refused,
      of: 'key' as const,
      limit: 100,
      at,
    });
    for (const at of ['2026-03-04T00:00:00.000Z', '2026-03-04T23:59:59.999Z'])
      await notifyNearLimits(database, [nearLimit(false, at), nearLimit(true, at)]);
    expect(await kinds()).toEqual(['firm_limit_near', 'firm_limit_refused']);
    await notifyNearLimits(database, [nearLimit(true, '2026-03-05T00:00:00.000Z')]);
    const { successor } = await rotateKey(database, key.id, { secret: makeKeySecret('sandbox') }, operator, KEY_BOUNDS);
    await notifyNearLimits(database, [{ ...nearLimit(true, '2026-03-05T12:00:00.000Z'), keyId: successor.id }]);
    expect(await kinds()).toEqual(['firm_limit_near', 'firm_limit_refused', 'firm_limit_refused']);
  });
});

describe('the outbox', () => {
  /** Due before now: the column rounds its default, so that it may be up to half a millisecond ahead. */
  const put = async (count: number) => {
    for (let at = 0; at < count; at++)
      await run(
        `insert into notices (kind, recipient, subject, occurrence, due_at)
          values ('grant_ended', $1, $2, '', now() - interval '1 second')`,
        [client.id, newId('grant')],
      );
  };

  it('gives each notice to one of many concurrent senders', async () => {
    await put(20);
    const taken: Notice[] = [];
    const takeAll = async () => {
      for (let one = await takeNotice(database); one !== null; one = await takeNotice(database)) taken.push(one);
    };
    await Promise.all(Array.from({ length: 8 }, takeAll));
    expect(taken).toHaveLength(20);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(20);
  });

  it('gives a notice to another sender after its lease, and then ignores outcomes from the first', async () => {
    await put(1);
    const first = (await takeNotice(database)) as Notice;
    expect(LEASE_SECONDS).toBeLessThan(60);
    expect(await takeNotice(database)).toBeNull();
    await run(`update notices set due_at = due_at - interval '${LEASE_SECONDS} seconds'`);
    const second = (await takeNotice(database)) as Notice;
    expect([second.id, second.attempts]).toEqual([first.id, 2]);
    await endNotice(database, first, 'refused');
    await delayNotice(database, first, 5_000);
    expect(await database.query({ text: 'select outcome from notices' })).toEqual([{ outcome: null }]);
    await endNotice(database, second, 'sent');
    expect(await database.query({ text: 'select outcome, details from notices' })).toEqual([
      { outcome: 'sent', details: {} },
    ]);
    expect(await takeNotice(database)).toBeNull();
  });

  it('gives a notice that was written or taken with a clock ahead, but not one delayed by an hour', async () => {
    await put(2);
    const [first, second] = [(await takeNotice(database)) as Notice, (await takeNotice(database)) as Notice];
    await delayNotice(database, second, MAX_DELAY_SECONDS);
    await run(`update notices set due_at = due_at + interval '1 day' where id = $1`, [first.id]);
    expect(await takeNotice(database)).toMatchObject({ id: first.id, attempts: 2 });
    expect(await takeNotice(database)).toBeNull();
  });

  it('does not give notices of kinds that a newer release wrote', async () => {
    await run(`insert into notices (kind, recipient, subject, occurrence) values ('of_tomorrow', 'x', 'y', '')`);
    expect(await takeNotice(database)).toBeNull();
  });

  it('gives up after three days, counts that, and deletes notices after thirty', async () => {
    await put(3);
    await run(`update notices set created_at = now() - interval '73 hours' where id = (select min(id) from notices)`);
    await run(
      `update notices set outcome = 'sent', ended_at = now() - interval '31 days' where id = (select max(id) from notices)`,
    );
    expect(await outboxState(database)).toMatchObject({ waiting: 2, lapsed: 0 });
    expect((await outboxState(database)).oldestSeconds).toBeGreaterThan(72 * 3_600);
    await tidyNotices(database);
    expect(await outboxState(database)).toMatchObject({ waiting: 1, refused: 0, lapsed: 1 });
    expect(await kinds()).toHaveLength(2);
  });
});
