// The edition of a portfolio holds as long as nothing changes that a partner may notice, and not longer.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashSecret } from '#auth/key-format.ts';
import type { Edition } from '#core/principal.ts';
import { readAdmission } from '#repositories/admission/admission.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { makeClient, makeItem } from '#test/support/scenario.ts';

let gateway: TestGateway;
let partner: Partner;
beforeAll(async () => {
  gateway = await startGateway();
  partner = await makePartner(gateway);
});
afterAll(() => gateway.stop());

describe.each([{ horizon: false }, { horizon: true }])('read with $horizon for a horizon', ({ horizon }) => {
  let edition: Edition;

  const present = async (asked: Edition | null): Promise<Edition> => {
    const key = hashSecret(partner.key.secret);
    const admission = await readAdmission(gateway.database, {
      ...{ key, clientId: partner.client.id, edition: asked, horizon },
    });
    if (admission === null || admission.edition === null) throw new Error('the key is good');
    return admission.edition;
  };

  beforeEach(async () => {
    edition = await present(null);
    expect(await present(edition)).toBe(edition);
  });

  it('holds while others’ portfolios change', async () => {
    await makeItem(gateway.database, await makeClient(gateway.database));
    expect(await present(edition)).toBe(edition);
  });

  it('ends with a change of the portfolio', async () => {
    await makeItem(gateway.database, partner.client);
    expect(await present(edition)).not.toBe(edition);
  });

  it('ends with a change of reference rows', async () => {
    await gateway.database.query({ text: "update categories set name = name where code = 'WT'" });
    expect(await present(edition)).not.toBe(edition);
  });

  it('ends with the day, and with the run of the server', async () => {
    const [day = '', ...rest] = edition.within.split(' ');
    expect(day).toBe(new Date().toISOString().slice(0, 10));
    const yesterday = { ...edition, within: ['2026-01-01', ...rest].join(' ') };
    expect(await present(yesterday)).not.toBe(yesterday);
    const elsewhere = { ...edition, within: `${edition.within}0` };
    expect(await present(elsewhere)).not.toBe(elsewhere);
  });

  it('is not taken for the present one where its snapshot is ahead, as after a restore', async () => {
    const ahead = { ...edition, snapshot: '900000000:900000000:' };
    expect(await present(ahead)).not.toBe(ahead);
  });
});
