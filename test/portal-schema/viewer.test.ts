// Guarantee: users see their own identity and settings, and clients their whole portfolio.

import { expect, it } from 'vitest';
import { withScene } from '#test/support/portal-scene.ts';
import { CANARY, VERSION } from '#test/support/scenario.ts';
import { QUERIES } from './operations-documents.ts';

const scene = withScene();

it('each role sees its own identity and settings', async () => {
  const { here, asOperator, operator } = scene;
  const member = await here.asMember(QUERIES.viewer);
  expect(member).toMatchObject({ userId: here.member.id, role: 'firm_member', environment: null });
  expect(member.firm).toEqual({
    ...{ id: here.firm.id, name: 'Here Firm', plan: 'enterprise', planActive: true, tier: 'enterprise' },
    identity: { address: null, website: null, email: null, phone: null },
    identityHistory: [],
    limit: null,
  });
  const client = await here.asClient(QUERIES.viewer);
  expect(client).toMatchObject({ role: 'client', firm: null, environment: 'production' });
  expect(await asOperator(QUERIES.viewer)).toMatchObject({ userId: operator.id, role: 'ops', firm: null });
  expect(client.tiers.at(0)).toEqual({ tier: 'sandbox', limit: 100 });
  expect(client.apiVersion).toBe(VERSION);
});

it('a client reads their own portfolio through all scopes, no other client’s, and no P0 value', async () => {
  const { here, there } = scene;
  const assets = `query ($c: ID!) { body: assets(clientId: $c) { nodes { title notes marketValue { amount }
    documents { title } estate { shareLinks { label } } } } }`;
  const { nodes } = await here.asClient(assets, { c: here.client.id });
  expect(nodes).toMatchObject([{ title: 'Here watch', notes: 'Worn on Sundays', documents: [{}, {}] }]);
  await expect(here.asClient(assets, { c: there.client.id })).rejects.toMatchObject({ code: 'no_active_grant' });
  const all = [];
  for (const name of ['ownItems', 'grants', 'consentHistory', 'accessRecord', 'ownCollections'] as const)
    all.push(await here.asClient(QUERIES[name], {}));
  expect(JSON.stringify([nodes, all])).not.toContain(CANARY);
});
