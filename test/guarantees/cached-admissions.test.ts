// Guarantee: a cached admission that the change log confirms equals the one that the database would give now.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashSecret } from '#auth/key-format.ts';
import type { Sql } from '#database/database.ts';
import type { DatabaseSnapshot } from '#database/snapshot.ts';
import {
  type ActiveAdmission,
  type Admission,
  isActive,
  type ReadAdmission,
  readAdmissions,
} from '#repositories/admission/admission.ts';
import { type ChangeQuestion, readChanges } from '#repositories/admission/change-log.ts';
import { setShadow } from '#repositories/keys/limit-shadows.ts';
import { beforeEnd } from '#test/support/before-end.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { readAdmission } from '#test/support/recorded.ts';
import { makeItem } from '#test/support/scenario.ts';
import { Chance } from './chance.ts';

const STEPS = 120;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** An active admission, and the snapshot in which it was read. */
interface CachedAdmission {
  admission: ActiveAdmission;
  seen: DatabaseSnapshot;
}

const toCached = (found: ReadAdmission | null): CachedAdmission | null =>
  found !== null && isActive(found.admission) ? { admission: found.admission, seen: found.moment.snapshot } : null;

async function admissionOf({ key, client }: Partner, { database } = gateway): Promise<CachedAdmission> {
  const cached = toCached(await readAdmission(database, { key: key.id, clientId: client.id }));
  if (cached === null) throw new Error('the partner is not admitted');
  return cached;
}

const questionOf = ({ admission: { key, client }, seen }: CachedAdmission): ChangeQuestion => ({
  ...{ keyId: key.id, firmId: key.firmId, clientId: client.id },
  ...{ admission: seen, portfolio: null, horizon: false },
});

/** The admissions that are still valid, decided as the admission cache does; null for the others. */
async function confirmAll(database: Sql, cached: readonly CachedAdmission[]): Promise<(Admission | null)[]> {
  const answers = cached.length === 0 ? [] : await readChanges(database, cached.map(questionOf));
  return cached.map(({ admission }, at) => {
    const { admissionUnchanged = false, moment } = answers[at] ?? {};
    const ended = moment === undefined || moment.instant >= (admission.endsAt ?? Number.POSITIVE_INFINITY);
    return admissionUnchanged && !ended ? admission : null;
  });
}

const confirm = async (cached: CachedAdmission, { database } = gateway): Promise<Admission | null> =>
  (await confirmAll(database, [cached]))[0] ?? null;

/** Changes of a partner's key, firm, client or grant, named by `$key`, `$firm`, `$client` and `$grant`. */
const CHANGES = {
  'the key’s scopes': 'update api_keys set scopes = scopes % 127 + 1 where id = $key',
  'the key’s tier': `update api_keys set tier_override = 'standard' where id = $key`,
  'the key’s revocation': `update api_keys set revoked_at = now_ms(), revoked_by = 'test' where id = $key`,
  'the key’s end': `update api_keys set expires_at = now() + interval '1 hour' where id = $key`,
  'the key’s networks': `update api_keys set allowed_networks = '{203.0.113.0/24}' where id = $key`,
  'the firm’s plan': 'update firms set plan_active = not plan_active where id = $firm',
  'the firm’s tier': `update firms set tier = case tier when 'elevated' then 'standard' else 'elevated' end where id = $firm`,
  'the client’s currency': `update users set reporting_currency = 'CHF' where id = $client`,
  'the client’s first items': 'update users set populated_at = now_ms() where id = $client',
  'the grant’s scopes': 'update grants set scopes = scopes % 127 + 1, view_changed_at = now_ms() where id = $grant',
  'the grant’s filter': `update grants set filter = '{"type":"category","categories":["AR"]}' where id = $grant`,
  'the grant’s end': `update grants set expires_at = now() + interval '1 hour' where id = $grant`,
  'the grant’s revocation': `update grants set status = 'revoked', ended_at = now_ms() where id = $grant`,
  'the grant’s deletion':
    'with gone as (delete from grant_events where grant_id = $grant) delete from grants where id = $grant',
};

const NO_CHANGES = {
  'the key’s last use': 'update api_keys set last_used_at = now_ms() where id = $key',
  'an update that matches no grant': 'update grants set scopes = 1 where false',
};

async function change(sql: Sql, text: string, { key, client, grant }: Partner): Promise<void> {
  const ids: Record<string, string> = { key: key.id, firm: key.firmId, client: client.id, grant: grant.id };
  const values: string[] = [];
  const numbered = text.replace(/\$([a-z]+)/g, (_, name: string) => `$${values.push(ids[name] ?? '')}`);
  await sql.query({ text: numbered, values });
}

describe('an admission', () => {
  let partner: Partner;
  let cached: CachedAdmission;
  beforeEach(async () => {
    partner = await makePartner(gateway);
    cached = await admissionOf(partner);
    expect(await confirm(cached)).toEqual(cached.admission);
  });

  it.each(Object.entries(CHANGES))('is void after a change of %s', async (_, text) => {
    await change(gateway.database, text, partner);
    expect(await confirm(cached)).toBeNull();
  });

  it.each(Object.entries(NO_CHANGES))('is confirmed after a change that does not affect it: %s', async (_, text) => {
    await change(gateway.database, text, partner);
    expect(await confirm(cached)).toEqual(cached.admission);
  });

  it('is confirmed after changes of other partners', async () => {
    const other = await makePartner(gateway);
    for (const text of Object.values(CHANGES)) await change(gateway.database, text, other);
    expect(await confirm(cached)).toEqual(cached.admission);
  });

  it('is void after any limit enters or leaves shadow mode, while the portfolio stays unchanged', async () => {
    const [{ database }, operator] = [gateway, { kind: 'operator', id: 'test' } as const];
    const other = await makePartner(gateway);
    for (const target of [{ keyId: partner.key.id }, { keyId: other.key.id }, { tier: 'elevated' }] as const)
      for (const shadowed of [true, false]) {
        const before = await admissionOf(partner);
        await setShadow(database, target, { shadowed, reason: 'a trial', endsAt: null }, operator);
        const [answer] = await readChanges(database, [{ ...questionOf(before), portfolio: before.seen }]);
        expect(answer).toMatchObject({ admissionUnchanged: false, portfolioUnchanged: true });
      }
  });

  it('is confirmed after a change of the portfolio, with a later snapshot and log position', async () => {
    await makeItem(gateway.database, partner.client);
    const again = await admissionOf(partner);
    const before = await readAdmission(gateway.database, { key: partner.key.id, clientId: partner.client.id });
    await makeItem(gateway.database, partner.client);
    expect(await confirm(again)).toEqual(again.admission);
    const after = await readAdmission(gateway.database, { key: partner.key.id, clientId: partner.client.id });
    expect(after?.moment.snapshot.snapshot).not.toBe(before?.moment.snapshot.snapshot);
    expect(after?.moment.position).not.toBe(before?.moment.position);
  });

  it('is void after the commit of a change that was made before the admission was read', async () => {
    const { database } = gateway;
    const early = await database.transaction(async (sql) => {
      await change(sql, CHANGES['the grant’s revocation'], partner);
      // A later transaction that has committed: the snapshot's range includes the open one.
      await makePartner(gateway);
      const meanwhile = await admissionOf(partner);
      expect(await confirm(meanwhile)).not.toBeNull();
      return meanwhile;
    });
    expect(await confirm(early)).toBeNull();
  });

  it('is confirmed after a change that was rolled back', async () => {
    const undone = gateway.database.transaction(async (sql) => {
      await change(sql, CHANGES['the grant’s revocation'], partner);
      throw new Error('not after all');
    });
    await expect(undone).rejects.toThrow('not after all');
    expect(await confirm(cached)).not.toBeNull();
  });

  it.each([
    ['key', 'update api_keys set expires_at = $2 where id = $1'],
    ['grant', 'update grants set expires_at = $2 where id = $1'],
  ] as const)('is void once its %s expires', async (part, text) => {
    const { brief, end } = await beforeEnd(async (soon) => {
      const end = soon();
      await gateway.database.query({ text, values: [partner[part].id, end.toISOString()] });
      const brief = await admissionOf(partner);
      expect(brief.admission.endsAt).toBe(end.getTime() / 1000);
      expect(await confirm(brief)).not.toBeNull();
      return { brief, end };
    });
    await sleep(end.getTime() - Date.now() + 50);
    expect(await confirm(brief)).toBeNull();
  });

  it('is void in another epoch, and with a snapshot in the future, as after a restore', async () => {
    const since = (changes: object): CachedAdmission => ({ ...cached, seen: { ...cached.seen, ...changes } });
    expect(await confirm(since({}))).not.toBeNull();
    expect(await confirm(since({ epoch: `${cached.seen.epoch}0` }))).toBeNull();
    expect(await confirm(since({ snapshot: '900000000:900000000:' }))).toBeNull();
  });
});

const chance = new Chance();

describe(`cached admissions (seed ${chance.seed})`, () => {
  it('equal freshly read ones wherever they are confirmed, after each of many random changes', async () => {
    const { database } = gateway;
    const first = await makePartner(gateway);
    const partners = [
      first,
      await makePartner(gateway, { client: first.client }),
      await makePartner(gateway, { key: first.key }),
      await makePartner(gateway),
    ];
    const steps = Object.values({ ...CHANGES, ...NO_CHANGES }).filter((text) => !text.includes('delete'));
    const remedies = [
      'update api_keys set revoked_at = null, revoked_by = null where id = $key',
      'update api_keys set tier_override = null, expires_at = null where id = $key',
      'update firms set plan_active = true where id = $firm',
      `update grants set status = 'active', ended_at = null, expires_at = null where id = $grant`,
    ];
    const known = new Map<Partner, CachedAdmission>();
    let confirmedCount = 0;
    let voidCount = 0;
    for (let step = 0; step < STEPS; step++) {
      await change(database, chance.pick(chance.likely(0.5) ? steps : remedies), chance.pick(partners));
      const confirmed = await confirmAll(database, [...known.values()]);
      const present = await readAdmissions(
        database,
        partners.map((partner) => ({ key: hashSecret(partner.key.secret), clientId: partner.client.id })),
      );
      for (const [at, [partner]] of [...known].entries()) {
        if (confirmed[at] === null) voidCount += 1;
        else {
          confirmedCount += 1;
          expect(confirmed[at], `step ${step}`).toEqual(present[partners.indexOf(partner)]?.admission);
        }
      }
      // Some stay for several steps, so that changes accumulate.
      for (const [at, found] of present.entries()) {
        const partner = partners[at] as Partner;
        const cached = toCached(found);
        if (cached !== null && chance.likely(0.5)) known.set(partner, cached);
        else if (chance.likely(0.1)) known.delete(partner);
      }
    }
    expect(confirmedCount).toBeGreaterThan(10);
    expect(voidCount).toBeGreaterThan(3);
  });
});

it('an admission is void after TRUNCATE of its tables', async () => {
  const emptied = await startGateway();
  try {
    const cached = await admissionOf(await makePartner(emptied), emptied);
    await emptied.database.query({ text: 'truncate grants cascade' });
    expect(await confirm(cached, emptied)).toBeNull();
  } finally {
    await emptied.stop();
  }
});
