// Guarantee: if a delta cannot list every change, the response has the whole view and `sync.full` is true.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeGrant, revokeGrant } from '#repositories/grants/grants.ts';
import { changesSince, deltaScene, syncPoint } from '#test/support/delta.ts';
import { ENGINES } from '#test/support/engines.ts';
import type { TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { makeGrant } from '#test/support/scenario.ts';

const operator = { kind: 'operator', id: 'test' } as const;

describe.each(ENGINES)('over $name', ({ start }) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start();
  });
  afterAll(() => gateway.stop());

  const run = (text: string, ...values: unknown[]) => gateway.database.query({ text, values });

  describe('the whole view is returned', () => {
    const expectFull = async (partner: Partner, since: string, full: boolean) => {
      const { body } = await changesSince(partner, since);
      expect(body.sync.full).toBe(full);
      expect(body.data).toHaveLength(full ? 3 : 0);
      expect(body.removed).toEqual([]);
    };

    it.each([
      ['scopes', { scopes: 1 }],
      ['filter', { filter: { type: 'category' as const, categories: ['WT'] } }],
    ])('after the %s of the grant changed, until the next sync', async (_what, terms) => {
      const { partner } = await deltaScene(gateway);
      const since = await syncPoint(partner);
      await expectFull(partner, since, false);
      await changeGrant(gateway.database, partner.grant.id, terms, operator);
      await expectFull(partner, since, true);
      await new Promise((wake) => setTimeout(wake, 5));
      await expectFull(partner, await syncPoint(partner), false);
    });

    it('not after its expiry changed', async () => {
      const { partner } = await deltaScene(gateway);
      const since = await syncPoint(partner);
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      await changeGrant(gateway.database, partner.grant.id, { expiresAt }, operator);
      await expectFull(partner, since, false);
    });

    it('after the grant was revoked and granted again', async () => {
      const { partner } = await deltaScene(gateway);
      const since = await syncPoint(partner);
      await revokeGrant(gateway.database, partner.grant.id, operator);
      await makeGrant(gateway.database, partner.key, partner.client);
      await expectFull(partner, since, true);
    });

    it('to a key whose grant is younger than that of another key with the same view', async () => {
      const { partner } = await deltaScene(gateway);
      const since = await syncPoint(partner);
      // A response that may be cached is cached at its second request.
      for (let count = 0; count < 3; count++) await expectFull(partner, since, false);
      await expectFull(await makePartner(gateway, { client: partner.client }), since, true);
    });

    it('for an updated_since of more than 90 days ago, and not for a later one', async () => {
      const { partner } = await deltaScene(gateway);
      await run("update grants set view_changed_at = now() - interval '200 days' where id = $1", partner.grant.id);
      await run("update users set populated_at = now() - interval '200 days' where id = $1", partner.client.id);
      const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
      expect((await changesSince(partner, daysAgo(89.9))).body.sync.full).toBe(false);
      expect((await changesSince(partner, daysAgo(91))).body.sync.full).toBe(true);
      expect((await changesSince(partner, '0001-01-01T00:00:00Z')).body.data).toHaveLength(3);
    });
  });
});
