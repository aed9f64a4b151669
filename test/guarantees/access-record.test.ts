// Every call with a valid key that named an existing client has exactly one record, however it ended.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES, type ScopeSet, scopeSet } from '#core/scopes.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { type CallOptions, call, type Item, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';
import { Chance } from './chance.ts';

const CALLS = 2_000;
const ABREAST = 25;
const NARROW = scopeSet(['registry']);

interface Kind {
  partner: Partner;
  path: string;
  options?: CallOptions;
  status: number;
  /** Null: no record, since no client or no key was named. */
  record: { endpoint: string; registryId: string | null; scopes: ScopeSet } | null;
}

let gateway: TestGateway;
let kinds: Kind[];
const chance = new Chance();

beforeAll(async () => {
  gateway = await startGateway();
  const { database } = gateway;
  const wide = await makePartner(gateway);
  const narrow = await makePartner(gateway, { scopes: NARROW });
  const stranger = await makeClient(database);
  const sandbox = await sandboxPartner();
  const item = await makeItem(database, wide.client);
  const foreign: Item = await makeItem(database, narrow.client);
  const tag = (await wide.get('/assets')).headers.get('etag') ?? '';
  const list = 'GET /api/v1/assets';
  const one = 'GET /api/v1/assets/{registry_id}';
  const of = (
    partner: Partner,
    path: string,
    status: number,
    record: Kind['record'],
    options: CallOptions = {},
  ): Kind => ({
    ...{ partner, path, status, record, options },
  });
  const whole = (endpoint: string, registryId: string | null = null) => ({ endpoint, registryId, scopes: ALL_SCOPES });
  kinds = [
    of(wide, '/assets', 200, whole(list)),
    of(wide, '/assets', 304, whole(list), { headers: { 'If-None-Match': tag } }),
    of(wide, '/assets', 200, whole(list), { method: 'HEAD' }),
    of(wide, `/assets/${item.registryId}`, 200, whole(one, item.registryId)),
    of(wide, `/assets/${foreign.registryId}`, 404, whole(one, foreign.registryId)),
    of(wide, '/assets/nonsense', 404, whole(one)),
    of(wide, '/portfolio/summary', 200, whole('GET /api/v1/portfolio/summary')),
    of(wide, '/assets?page=0', 400, whole(list)),
    of(wide, '/assets', 400, whole(list), { version: null }),
    of(narrow, '/assets?min_value=1', 403, { ...whole(list), scopes: NARROW }),
    of(narrow, `/assets/${foreign.registryId}/documents`, 403, {
      ...{ endpoint: 'GET /api/v1/assets/{registry_id}/documents', registryId: foreign.registryId, scopes: NARROW },
    }),
    // Far beyond its limit of 100 a minute: most of these are 429.
    of(sandbox, '/assets', 0, whole(list)),
    of({ ...wide, client: stranger }, '/assets', 403, { ...whole(list), scopes: 0 }),
    of({ ...wide, client: { ...stranger, id: newId('user') } }, '/assets', 403, null),
    of({ ...wide, key: { ...wide.key, secret: 'sk_live_x' } }, '/assets', 0, null),
  ];
});
afterAll(() => gateway.stop());

async function sandboxPartner(): Promise<Partner> {
  const { database } = gateway;
  const client = await makeClient(database, { environment: 'sandbox' });
  const key = await makeKey(database, await makeFirm(database), { environment: 'sandbox' });
  return makePartner(gateway, { key, client });
}

interface Recorded {
  request_id: string;
  firm_id: string;
  key_id: string;
  client_id: string;
  endpoint: string;
  registry_id: string | null;
  scopes: number;
  status: number;
}

describe(`the access record under load (seed ${chance.seed})`, () => {
  it(`has each of ${CALLS} calls that it should have once, with what it was, and no other`, async () => {
    const expected = new Map<string, Omit<Recorded, 'request_id'>>();
    const met = new Set<number>();
    let left = CALLS;
    const senders = Array.from({ length: ABREAST }, async () => {
      while (left-- > 0) {
        const { partner, path, options = {}, status, record } = chance.pick(kinds);
        const { key, client } = partner;
        const separator = path.includes('?') ? '&' : '?';
        const url = `${gateway.url}/api/v1${path}${separator}client_id=${client.id}`;
        const answer = await call(url, key.secret, options);
        met.add(answer.status);
        if (status !== 0) expect(answer.status, url).toBe(status);
        if (record === null) continue;
        expected.set(answer.headers.get('x-request-id') ?? '', {
          ...{ firm_id: key.firmId, key_id: key.id, client_id: client.id, status: answer.status },
          ...{ endpoint: record.endpoint, registry_id: record.registryId, scopes: record.scopes },
        });
      }
    });
    await Promise.all(senders);
    expect([...met].sort()).toEqual([200, 304, 400, 401, 403, 404, 429]);
    await sleep(1_000);
    const rows = await gateway.database.query<Recorded>({
      text: `select request_id, firm_id, key_id, client_id, endpoint, registry_id, scopes, status from recorded_calls
        where at > now() - interval '1 hour'`,
    });
    const recorded = new Map(rows.map(({ request_id: id, ...row }) => [id, row]));
    // One call besides, which asked for the tag.
    expect(recorded.size).toBe(expected.size + 1);
    for (const [id, row] of expected) expect(recorded.get(id), id).toEqual(row);
  });
});
