// Guarantee: a request for access reveals neither who is a client, nor what a client owns, nor that they declined.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isId, newId, registryId } from '#core/ids.ts';
import { ALL_SCOPES, scopeSet } from '#core/scopes.ts';
import type { Firm } from '#repositories/firms.ts';
import type { User } from '#repositories/users.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { type Ask, codeOf, openPortal, type Portal } from '#test/support/portal.ts';
import { makeMember } from '#test/support/portal-scene.ts';
import { until } from '#test/support/ports.ts';
import { call, furnish, type Key, makeClient, makeFirm, makeGrant, makeItem, makeKey } from '#test/support/scenario.ts';
import { MUTATIONS, QUERIES } from './operations-documents.ts';

let gateway: TestGateway;
let portal: Portal;
beforeAll(async () => {
  gateway = await startGateway();
  portal = await openPortal(gateway.database);
});
afterAll(async () => {
  portal.close();
  await gateway.stop();
});

interface Asking {
  firm: Firm;
  key: Key;
  asMember: Ask;
}

async function makeAsking(): Promise<Asking> {
  const firm = await makeFirm(gateway.database, { name: 'Asking Firm' });
  const member = await makeMember(gateway, firm);
  return { firm, key: await makeKey(gateway.database, firm), asMember: portal.as(member.id) };
}

const requestTo = (key: Key, client: string, filter: object = { type: 'all' }) => ({
  ...{ keyId: key.id, client, scopes: ['registry', 'valuation'], filter, purpose: 'Advice' },
});

/** Everything that a firm can read after its request. */
async function readAll({ firm, key, asMember }: Asking, id: string, client: string) {
  return {
    grant: await asMember(QUERIES.grant, { id }),
    lists: [
      await asMember(QUERIES.grants),
      await asMember(QUERIES.grants, { status: ['pending'] }),
      await asMember(QUERIES.grants, { status: ['declined'] }),
      await asMember(QUERIES.grants, { search: client.slice(0, 8) }),
      await asMember(QUERIES.grants, { search: 'Discreet' }),
      await asMember(QUERIES.grants, { firmId: firm.id, keyId: key.id }),
    ],
    counts: await asMember(QUERIES.grantCounts),
    keys: [await asMember(QUERIES.keys), await asMember(QUERIES.key, { id: key.id })],
    calls: asNamed(await asMember(QUERIES.calls), client),
    activity: await asMember(QUERIES.activity),
  };
}

/** Without what differs from call to call; calls show as their client what the firm itself sent. */
function asNamed({ nodes, ...rest }: { nodes: Record<string, unknown>[] }, client: string) {
  const named = isId('user', client) ? client : null;
  return {
    ...rest,
    nodes: nodes.map(({ clientId, registryId, tookMs: _tookMs, ...node }) => ({
      ...{ ...node, clientId: clientId === named ? 'AS NAMED' : clientId },
      registryId: registryId === null ? null : 'AS NAMED',
    })),
  };
}

/** Everything that the firm sees of a request to this addressee until its withdrawal; `answer` is the client's act. */
async function seenOfRequest(client: string, answer: (requestId: string) => Promise<unknown>) {
  const asking = await makeAsking();
  const { key, asMember } = asking;
  const asked = await asMember(MUTATIONS.requestGrant, requestTo(key, client));
  const again = [client, client.toUpperCase(), ` ${client} `].map((one) =>
    asMember(MUTATIONS.requestGrant, requestTo(key, one)).catch((error: Error) => error.message.toLowerCase()),
  );
  const twice = await Promise.all(again);
  const before = await readAll(asking, asked.id, client);
  // Calls of the API reveal no more to the firm than the portal.
  const paths = ['/assets', '/portfolio/summary', `/assets/${registryId('PTC', 'WT', newId('item'))}`];
  const calls = [];
  for (const path of paths) {
    const { status, body } = await call(`${gateway.url}/api/v1${path}?client_id=${client}`, key.secret);
    calls.push([status, body.error.code, body.error.message]);
  }
  await used(asking, paths.length);
  const called = await readAll(asking, asked.id, client);
  await answer(asked.id);
  const answered = await readAll(asking, asked.id, client);
  const withdrawn = await asMember(MUTATIONS.withdrawGrant, { id: asked.id });
  const codes = [await codeOf(asMember(MUTATIONS.withdrawGrant, { id: asked.id }))];
  const after = await readAll(asking, asked.id, client);
  const anew = await asMember(MUTATIONS.requestGrant, requestTo(key, client));
  return masked({ asked, twice, before, calls, called, answered, withdrawn, codes, after, anew }, client);
}

/** Waits until the key's last use and its calls are recorded. */
const used = ({ key, asMember }: Asking, calls: number) =>
  until(
    async () => {
      const text = 'select 1 from api_keys where id = $1 and last_used_at is not null';
      const [row] = await gateway.database.query({ text, values: [key.id] });
      return row !== undefined && (await asMember(QUERIES.calls)).nodes.length === calls;
    },
    60_000,
    () => new Error('the calls were not recorded'),
  );

/** Without what differs between firms, and with the addressee, which the firm itself has written, replaced. */
function masked(value: unknown, client: string): unknown {
  const text = JSON.stringify(value)
    .replaceAll(new RegExp(client.replace(/[.+]/g, '\\$&'), 'gi'), 'ADDRESSEE')
    .replace(/\b(frm|key|grt|req)_\w{26}/g, '$1')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
    .replace(/"(prefix|lastFour|id)":"[^"]*"/g, '"$1"');
  return JSON.parse(text.replace(/"(prefix|lastFour|id)"(?=[,}])/g, '"$1":0'));
}

const noAnswer = async () => {};

async function discreetClient(changes: Partial<{ environment: 'sandbox' | 'production' }> = {}): Promise<User> {
  const client = await makeClient(gateway.database, changes);
  await gateway.database.query({ text: "update users set name = 'Discreet' where id = $1", values: [client.id] });
  await furnish(gateway.database, client, await makeItem(gateway.database, client, { title: 'Discreet watch' }));
  return client;
}

describe('a request', () => {
  it('looks the same to the firm for every addressee, and whether a client declines or does not answer', async () => {
    const unknown = await seenOfRequest('nobody@example.com', noAnswer);
    const text = JSON.stringify(unknown);
    expect(text).toContain('"status":"pending"');
    expect(text).not.toMatch(/declin/);
    const decline = (client: User) => (id: string) => portal.as(client.id)(MUTATIONS.declineGrant, { id });
    const [byId, byEmail, declining, silent, elsewhere] = await Promise.all([
      discreetClient(),
      discreetClient(),
      discreetClient(),
      discreetClient(),
      discreetClient({ environment: 'sandbox' }),
    ]);
    const member = await makeMember(gateway, await makeFirm(gateway.database));
    for (const [what, client, answer] of [
      ['an unknown id', newId('user'), noAnswer],
      ['neither id nor address', "' or true --", noAnswer],
      ['a client, by id', byId.id, decline(byId)],
      ['a client, by e-mail address', byEmail.email, decline(byEmail)],
      ['a client who declines', declining.email, decline(declining)],
      ['a client who does not answer', silent.id, noAnswer],
      ['a client of the other environment', elsewhere.email, noAnswer],
      ['a member of another firm', member.email, noAnswer],
    ] as const)
      expect(await seenOfRequest(client, answer), what).toEqual(unknown);
  });

  it('cannot name an item that the firm does not see, whether or not the addressee has it', async () => {
    const client = await discreetClient();
    const item = await makeItem(gateway.database, client);
    const { collectionId } = await furnish(gateway.database, client, item);
    const { key, asMember, firm } = await makeAsking();
    // Nothing of this client's item is shown by another firm's grant, another client's, or one of other items.
    await makeGrant(gateway.database, await makeKey(gateway.database, await makeFirm(gateway.database)), client);
    const other = await discreetClient();
    await makeGrant(gateway.database, await makeKey(gateway.database, firm), other);
    const coin = await makeItem(gateway.database, client, { category: 'PM' });
    const { collectionId: coins } = await furnish(gateway.database, client, coin);
    for (const filter of [
      { type: 'category' as const, categories: ['PM'] },
      { type: 'items' as const, items: [coin.registryId] },
      { type: 'collection' as const, collection: coins },
    ])
      await makeGrant(gateway.database, await makeKey(gateway.database, firm), client, { filter });
    const refusal = (to: string, filter: object) =>
      asMember(MUTATIONS.requestGrant, requestTo(key, to, filter)).then(
        () => 'asked',
        (error: Error) => error.message.replace(/PTC\S+|col_\w+/, '…'),
      );
    const unknown = registryId('PTC', 'WT', newId('item'));
    const filters = (registry: string, collection: string) => [
      { type: 'items', items: [registry] },
      { type: 'collection', collection },
    ];
    const answers = new Set<string>();
    for (const to of [client.id, client.email, other.email, 'nobody@example.com'])
      for (const [registry, collection] of [
        [item.registryId, collectionId],
        [unknown, newId('collection')],
      ] as const)
        for (const filter of filters(registry, collection)) answers.add(await refusal(to, filter));
    expect([...answers].sort()).toEqual([
      'A request can name only a collection that a grant of the client already shows the firm: … is not shown.',
      'A request can name only items that a grant of the client already shows the firm: … is not shown.',
    ]);
    // An item that a grant shows can be named to its client, and to no other addressee.
    await makeGrant(gateway.database, await makeKey(gateway.database, firm), client);
    const named = { type: 'items', items: [item.registryId] };
    expect(await refusal('nobody@example.com', named)).toMatch(/^A request can name only items/);
    expect(await refusal(client.email, named)).toBe('asked');
  });

  it('cannot name an item that only an ended grant shows, or only a key that the API refuses or that lacks the scope', async () => {
    const client = await discreetClient();
    const item = await makeItem(gateway.database, client);
    const { key, asMember, firm } = await makeAsking();
    const showing = await makeKey(gateway.database, firm);
    const grant = await makeGrant(gateway.database, showing, client);
    const named = requestTo(key, client.email, { type: 'items', items: [item.registryId] });
    const codeNow = () => codeOf(asMember(MUTATIONS.requestGrant, named));
    const run = (text: string, value: string) => gateway.database.query({ text, values: [value] });
    await run('update firms set plan_active = false where id = $1', firm.id);
    expect(await codeNow()).toBe('invalid_parameter');
    await run('update firms set plan_active = true where id = $1', firm.id);
    await run("update api_keys set revoked_at = now_ms(), revoked_by = 'operator:test' where id = $1", showing.id);
    expect(await codeNow()).toBe('invalid_parameter');
    await run('update api_keys set revoked_at = null, revoked_by = null where id = $1', showing.id);
    await run(`update api_keys set scopes = ${scopeSet(['valuation'])} where id = $1`, showing.id);
    expect(await codeNow()).toBe('invalid_parameter');
    await run(`update api_keys set scopes = ${ALL_SCOPES} where id = $1`, showing.id);
    await run("update grants set expires_at = now_ms() - interval '1 s' where id = $1", grant.id);
    expect(await codeNow()).toBe('invalid_parameter');
    await run('update grants set expires_at = null where id = $1', grant.id);
    expect(await asMember(MUTATIONS.requestGrant, named)).toMatchObject({ status: 'pending' });
  });

  it('reveals the client with the approval, and from then on', async () => {
    const client = await discreetClient();
    const { key, asMember } = await makeAsking();
    const { id, ...pending } = await asMember(MUTATIONS.requestGrant, requestTo(key, client.email));
    expect(pending).toMatchObject({
      ...{ status: 'pending', addressee: client.email },
      ...{ clientId: null, clientName: null, clientEmail: null },
    });
    const found = async () => (await asMember(QUERIES.grants, { clientId: client.id })).nodes.length;
    expect(await found()).toBe(0);
    const asked = await portal.as(client.id)(QUERIES.grant, { id });
    expect(asked).toMatchObject({ clientId: client.id, clientName: 'Discreet', status: 'pending' });
    await portal.as(client.id)(MUTATIONS.approveGrant, { id });
    const known = { clientId: client.id, clientName: 'Discreet', clientEmail: client.email };
    expect(await asMember(QUERIES.grant, { id })).toMatchObject({ status: 'active', ...known });
    expect(await found()).toBe(1);
    await portal.as(client.id)(MUTATIONS.revokeGrant, { id });
    expect(await asMember(QUERIES.grant, { id })).toMatchObject({ status: 'revoked', ...known });
  });

  it('reaches the client by id and by address; of one to each, only one can be approved', async () => {
    const client = await discreetClient();
    const { key, asMember } = await makeAsking();
    const asClient = portal.as(client.id);
    const first = await asMember(MUTATIONS.requestGrant, requestTo(key, client.id));
    const second = await asMember(MUTATIONS.requestGrant, requestTo(key, client.email));
    const summary = await asClient(QUERIES.keySummary, { keyId: key.id });
    expect(summary.pendingGrantId).toBe(first.id);
    await asClient(MUTATIONS.approveGrant, { id: second.id });
    expect(await codeOf(asClient(MUTATIONS.approveGrant, { id: first.id }))).toBe('already_exists');
    await asClient(MUTATIONS.declineGrant, { id: first.id });
    expect(await codeOf(asMember(MUTATIONS.requestGrant, requestTo(key, client.id)))).toBe('already_exists');
  });

  it('stays declined for the client until the firm withdraws it', async () => {
    const client = await discreetClient();
    const { key, asMember } = await makeAsking();
    const asClient = portal.as(client.id);
    const { id } = await asMember(MUTATIONS.requestGrant, requestTo(key, client.id));
    expect(await asClient(MUTATIONS.declineGrant, { id })).toMatchObject({ status: 'declined' });
    expect(await codeOf(asClient(MUTATIONS.approveGrant, { id }))).toBe('invalid_transition');
    await asMember(MUTATIONS.withdrawGrant, { id });
    const { status, events } = await asClient(QUERIES.grant, { id });
    expect([status, events.map(({ action }: { action: string }) => action)]).toEqual([
      'withdrawn',
      ['withdraw', 'decline', 'request'],
    ]);
  });
});

describe('the number of requests', () => {
  it('is limited by addressee and by firm, whether or not the addressee is a client', async () => {
    const client = await discreetClient();
    const asking = await makeAsking();
    for (const to of [client.email, 'nobody-else@example.com']) {
      for (let time = 0; time < 5; time++) {
        const { id } = await asking.asMember(MUTATIONS.requestGrant, requestTo(asking.key, to));
        await asking.asMember(MUTATIONS.withdrawGrant, { id });
      }
      const sixth = asking.asMember(MUTATIONS.requestGrant, requestTo(asking.key, ` ${to.toUpperCase()}`));
      expect(await codeOf(sixth), to).toBe('rate_limit_exceeded');
    }
    const wishes = Array.from({ length: 95 }, (_, number) => requestTo(asking.key, `person-${number}@example.com`));
    const ends = await Promise.allSettled(wishes.map((one) => asking.asMember(MUTATIONS.requestGrant, one)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(90);
    expect(await codeOf(asking.asMember(MUTATIONS.requestGrant, requestTo(asking.key, client.id)))).toBe(
      'rate_limit_exceeded',
    );
    const other = await makeAsking();
    expect(await other.asMember(MUTATIONS.requestGrant, requestTo(other.key, client.email))).toMatchObject({
      status: 'pending',
    });
    // A day later requests are admitted again.
    await gateway.database.query({
      text: `update allowances set taken = array(select at - interval '24 hours' from unnest(taken) at)`,
    });
    await asking.asMember(MUTATIONS.requestGrant, requestTo(asking.key, client.id));
  });

  it('includes those that are refused for their terms', async () => {
    const { key, asMember } = await makeAsking();
    const named = { type: 'items', items: [registryId('PTC', 'WT', newId('item'))] };
    const guess = () => codeOf(asMember(MUTATIONS.requestGrant, requestTo(key, 'guessed@example.com', named)));
    const codes = [];
    for (let time = 0; time < 6; time++) codes.push(await guess());
    expect(codes).toEqual([...Array(5).fill('invalid_parameter'), 'rate_limit_exceeded']);
  });
});

it('an addressee is one line without control characters, which a list of requests would pass on', async () => {
  const { key, asMember } = await makeAsking();
  for (const client of [
    '',
    ' ',
    'a\nb@example.com',
    'a\u001b[2Jb',
    'a\u009b31mb',
    'a\u202eb',
    '\ud800',
    'a'.repeat(321),
  ])
    expect(await codeOf(asMember(MUTATIONS.requestGrant, requestTo(key, client))), client).toBe('invalid_parameter');
});
