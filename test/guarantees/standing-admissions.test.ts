// Guarantee: an admission that is said to stand is the one that would be read now, whatever has happened since it was read.

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

/** An admission that let a partner in, and when that was known to be so. */
interface Standing {
  admission: ActiveAdmission;
  seen: DatabaseSnapshot;
}

const toStanding = (found: ReadAdmission | null): Standing | null =>
  found !== null && isActive(found.admission) ? { admission: found.admission, seen: found.moment.snapshot } : null;

async function standingOf({ key, client }: Partner, { database } = gateway): Promise<Standing> {
  const standing = toStanding(await readAdmission(database, { key: key.id, clientId: client.id }));
  if (standing === null) throw new Error('the partner is let in');
  return standing;
}

const questionOf = ({ admission: { key, client }, seen }: Standing): ChangeQuestion => ({
  ...{ keyId: key.id, firmId: key.firmId, clientId: client.id },
  ...{ admission: seen, portfolio: null, horizon: false },
});

/** The admissions that stand, as the admission cache judges it; null for the others. */
async function confirmAll(database: Sql, standings: readonly Standing[]): Promise<(Admission | null)[]> {
  const answers = standings.length === 0 ? [] : await readChanges(database, standings.map(questionOf));
  return standings.map(({ admission }, at) => {
    const { admissionUnchanged = false, moment } = answers[at] ?? {};
    const ended = moment === undefined || moment.instant >= (admission.endsAt ?? Number.POSITIVE_INFINITY);
    return admissionUnchanged && !ended ? admission : null;
  });
}

const confirm = async (standing: Standing, { database } = gateway): Promise<Admission | null> =>
  (await confirmAll(database, [standing]))[0] ?? null;

/** Each is done to a partner's key, firm, client or grant, whose ids are its parameters where it names them. */
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
  'a grant from nobody': 'update grants set scopes = 1 where false',
};

async function change(sql: Sql, text: string, { key, client, grant }: Partner): Promise<void> {
  const ids: Record<string, string> = { key: key.id, firm: key.firmId, client: client.id, grant: grant.id };
  const values: string[] = [];
  const numbered = text.replace(/\$([a-z]+)/g, (_, name: string) => `$${values.push(ids[name] ?? '')}`);
  await sql.query({ text: numbered, values });
}

describe('an admission that let a partner in', () => {
  let partner: Partner;
  let standing: Standing;
  beforeEach(async () => {
    partner = await makePartner(gateway);
    standing = await standingOf(partner);
    expect(await confirm(standing)).toEqual(standing.admission);
  });

  it.each(Object.entries(CHANGES))('ends with %s', async (_, text) => {
    await change(gateway.database, text, partner);
    expect(await confirm(standing)).toBeNull();
  });

  it.each(Object.entries(NO_CHANGES))('stands beside %s', async (_, text) => {
    await change(gateway.database, text, partner);
    expect(await confirm(standing)).toEqual(standing.admission);
  });

  it('stands beside all that happens to others', async () => {
    const other = await makePartner(gateway);
    for (const text of Object.values(CHANGES)) await change(gateway.database, text, other);
    expect(await confirm(standing)).toEqual(standing.admission);
  });

  it('ends when any limit is put in shadow mode or taken out of it; what was made of the portfolio stands', async () => {
    const [{ database }, operator] = [gateway, { kind: 'operator', id: 'test' } as const];
    const other = await makePartner(gateway);
    for (const target of [{ keyId: partner.key.id }, { keyId: other.key.id }, { tier: 'elevated' }] as const)
      for (const shadowed of [true, false]) {
        const before = await standingOf(partner);
        await setShadow(database, target, { shadowed, reason: 'a trial', endsAt: null }, operator);
        const [answer] = await readChanges(database, [{ ...questionOf(before), portfolio: before.seen }]);
        expect(answer).toMatchObject({ admissionUnchanged: false, portfolioUnchanged: true });
      }
  });

  it('stands while the portfolio changes, in a later snapshot and further on in the log', async () => {
    await makeItem(gateway.database, partner.client);
    const again = await standingOf(partner);
    const before = await readAdmission(gateway.database, { key: partner.key.id, clientId: partner.client.id });
    await makeItem(gateway.database, partner.client);
    expect(await confirm(again)).toEqual(again.admission);
    const after = await readAdmission(gateway.database, { key: partner.key.id, clientId: partner.client.id });
    expect(after?.moment.snapshot.snapshot).not.toBe(before?.moment.snapshot.snapshot);
    expect(after?.moment.position).not.toBe(before?.moment.position);
  });

  it('ends when a change is committed that had been made before it was read', async () => {
    const { database } = gateway;
    const early = await database.transaction(async (sql) => {
      await change(sql, CHANGES['the grant’s revocation'], partner);
      // A later transaction that is done already: the change is one in the middle of what the snapshot knows.
      await makePartner(gateway);
      const meanwhile = await standingOf(partner);
      expect(await confirm(meanwhile)).not.toBeNull();
      return meanwhile;
    });
    expect(await confirm(early)).toBeNull();
  });

  it('stands when a change is rolled back', async () => {
    const undone = gateway.database.transaction(async (sql) => {
      await change(sql, CHANGES['the grant’s revocation'], partner);
      throw new Error('not after all');
    });
    await expect(undone).rejects.toThrow('not after all');
    expect(await confirm(standing)).not.toBeNull();
  });

  it.each([
    ['key', 'update api_keys set expires_at = $2 where id = $1'],
    ['grant', 'update grants set expires_at = $2 where id = $1'],
  ] as const)('ends by the clock, with its %s', async (part, text) => {
    const end = new Date(Date.now() + 1_500);
    await gateway.database.query({ text, values: [partner[part].id, end.toISOString()] });
    const brief = await standingOf(partner);
    expect(brief.admission.endsAt).toBe(end.getTime() / 1000);
    expect(await confirm(brief)).not.toBeNull();
    await sleep(end.getTime() - Date.now() + 50);
    expect(await confirm(brief)).toBeNull();
  });

  it('ends with the epoch of the database, and where its snapshot is ahead, as after a restore', async () => {
    const since = (changes: object): Standing => ({ ...standing, seen: { ...standing.seen, ...changes } });
    expect(await confirm(since({}))).not.toBeNull();
    expect(await confirm(since({ epoch: `${standing.seen.epoch}0` }))).toBeNull();
    expect(await confirm(since({ snapshot: '900000000:900000000:' }))).toBeNull();
  });
});

const chance = new Chance();

describe(`seed ${chance.seed}`, () => {
  it('whatever happens to keys, firms, clients and grants, what stands is what would be read', async () => {
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
    const known = new Map<Partner, Standing>();
    let stood = 0;
    let ended = 0;
    for (let step = 0; step < STEPS; step++) {
      await change(database, chance.pick(chance.likely(0.5) ? steps : remedies), chance.pick(partners));
      const confirmed = await confirmAll(database, [...known.values()]);
      const present = await readAdmissions(
        database,
        partners.map((partner) => ({ key: hashSecret(partner.key.secret), clientId: partner.client.id })),
      );
      for (const [at, [partner]] of [...known].entries()) {
        if (confirmed[at] === null) ended += 1;
        else {
          stood += 1;
          expect(confirmed[at], `step ${step}`).toEqual(present[partners.indexOf(partner)]?.admission);
        }
      }
      // Some are kept for longer, so that changes add up.
      for (const [at, found] of present.entries()) {
        const partner = partners[at] as Partner;
        const standing = toStanding(found);
        if (standing !== null && chance.likely(0.5)) known.set(partner, standing);
        else if (chance.likely(0.1)) known.delete(partner);
      }
    }
    expect(stood).toBeGreaterThan(10);
    expect(ended).toBeGreaterThan(3);
  });
});

it('ends when tables are emptied', async () => {
  const emptied = await startGateway();
  try {
    const standing = await standingOf(await makePartner(emptied), emptied);
    await emptied.database.query({ text: 'truncate grants cascade' });
    expect(await confirm(standing, emptied)).toBeNull();
  } finally {
    await emptied.stop();
  }
});
