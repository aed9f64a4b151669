import { expect, it } from 'vitest';
import { startGateway } from '#test/support/gateway.ts';
import { makePartner } from '#test/support/partner.ts';
import { furnish, makeItem } from '#test/support/scenario.ts';
import { graphql, makeServiceToken } from '#test/support/tools.ts';
import { WHOLE_LIST } from '#test/support/whole-asset.ts';
it('x', async () => {
  const g = await startGateway();
  const p = await makePartner(g);
  await furnish(g.database, p.client, await makeItem(g.database, p.client));
  const t = await makeServiceToken(g.database, 'support');
  const go = async (name: string, f: Promise<any>) => { const r = await Promise.race([f, new Promise((d) => setTimeout(() => d('TIMEOUT'), 3000))]); console.log(name, r.status, r.text?.slice(0, 600) ?? r); };
  await go('typename', graphql(g.internalUrl, t, { query: '{__typename}' }));
  await go('list', graphql(g.internalUrl, t, { query: WHOLE_LIST, variables: { client: p.client.id } }, { actAs: p.key.id }));
  await go('typename2', graphql(g.internalUrl, t, { query: '{__typename}' }));
});
