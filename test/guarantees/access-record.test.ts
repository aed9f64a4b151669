// Guarantee: every call with a valid key that names an existing client has exactly one record, whatever its outcome.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { steadyClock } from '#core/clock.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES, type ScopeSet, scopeSet } from '#core/scopes.ts';
import { TIER_LIMITS } from '#core/tiers.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { makePartner, type Partner } from '#test/support/partner.ts';
import { type CallOptions, call, type Item, makeClient, makeFirm, makeItem, makeKey } from '#test/support/scenario.ts';
import { Chance } from './chance.ts';

const CALLS = 2_000;
const CONCURRENCY = 25;
const NARROW = scopeSet(['registry']);

interface Kind {
  partner: Partner;
  path: string;
  options?: CallOptions;
  status: number;
  /** Null: no record, since the client or the key does not exist. */
  record: { endpoint: string; registryId: string | null; scopes: ScopeSet } | null;
}

let gateway: TestGateway;
let kinds: Kind[];
/** Refused with 429 once its limit is reached. */
let limited: Kind;
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
  const kind = (
    partner: Partner,
    path: string,
    status: number,
    record: Kind['record'],
    options: CallOptions = {},
  ): Kind => ({
    ...{ partner, path, status, record, options },
  });
  const withAllScopes = (endpoint: string, registryId: string | null = null) => ({
    endpoint,
    registryId,
    scopes: ALL_SCOPES,
  });
  limited = kind(sandbox, '/assets', 0, withAllScopes(list));
  kinds = [
    kind(wide, '/assets', 200, withAllScopes(list)),
    kind(wide, '/assets', 304, withAllScopes(list), { headers: { 'If-None-Match': tag } }),
    kind(wide, '/assets', 200, withAllScopes(list), { method: 'HEAD' }),
    kind(wide, `/assets/${item.registryId}`, 200, withAllScopes(one, item.registryId)),
    kind(wide, `/assets/${foreign.registryId}`, 404, withAllScopes(one, foreign.registryId)),
    kind(wide, '/assets/nonsense', 404, withAllScopes(one)),
    kind(wide, '/portfolio/summary', 200, withAllScopes('GET /api/v1/portfolio/summary')),
    kind(wide, '/assets?page=0', 400, withAllScopes(list)),
    kind(wide, '/assets', 400, withAllScopes(list), { version: null }),
    kind(narrow, '/assets?min_value=1', 403, { ...withAllScopes(list), scopes: NARROW }),
    kind(narrow, `/assets/${foreign.registryId}/documents`, 403, {
      ...{ endpoint: 'GET /api/v1/assets/{registry_id}/documents', registryId: foreign.registryId, scopes: NARROW },
    }),
    limited,
    kind({ ...wide, client: stranger }, '/assets', 403, { ...withAllScopes(list), scopes: 0 }),
    kind({ ...wide, client: { ...stranger, id: newId('user') } }, '/assets', 403, null),
    kind({ ...wide, key: { ...wide.key, secret: 'sk_live_x' } }, '/assets', 0, null),
  ];
});
afterEach(() => void vi.restoreAllMocks());
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
  it(`has exactly one correct row for each of ${CALLS} calls that belong in it, and no other row`, async () => {
    const expected = new Map<string, Omit<Recorded, 'request_id'>>();
    const statuses = new Set<number>();
    // The clock is stopped, so that all calls count within one minute, however long they take.
    vi.spyOn(steadyClock, 'now').mockReturnValue(steadyClock.now());
    let begun = 0;
    const senders = Array.from({ length: CONCURRENCY }, async () => {
      while (begun < CALLS) {
        // First as many that the last one is over the limit.
        const next = begun++ <= TIER_LIMITS.sandbox ? limited : chance.pick(kinds);
        const { partner, path, options = {}, status, record } = next;
        const { key, client } = partner;
        const separator = path.includes('?') ? '&' : '?';
        const url = `${gateway.url}/api/v1${path}${separator}client_id=${client.id}`;
        const response = await call(url, key.secret, options);
        statuses.add(response.status);
        if (status !== 0) expect(response.status, url).toBe(status);
        if (record === null) continue;
        expected.set(response.headers.get('x-request-id') ?? '', {
          ...{ firm_id: key.firmId, key_id: key.id, client_id: client.id, status: response.status },
          ...{ endpoint: record.endpoint, registry_id: record.registryId, scopes: record.scopes },
        });
      }
    });
    await Promise.all(senders);
    expect([...statuses].sort()).toEqual([200, 304, 400, 401, 403, 404, 429]);
    const readRows = () =>
      gateway.database.query<Recorded>({
        text: `select request_id, firm_id, key_id, client_id, endpoint, registry_id, scopes, status from recorded_calls
          where at > now() - interval '1 hour'`,
      });
    // A gateway saves records in the order of the calls: once a last call is recorded, all are.
    const last = (await kinds[0]?.partner.get('/assets'))?.headers.get('x-request-id');
    await expect.poll(async () => (await readRows()).map(({ request_id: id }) => id)).toContain(last);
    const recorded = new Map((await readRows()).map(({ request_id: id, ...row }) => [id, row]));
    // Two more: the last call, and the one in beforeAll that fetched the tag.
    expect(recorded.size).toBe(expected.size + 2);
    for (const [id, row] of expected) expect(recorded.get(id), id).toEqual(row);
  });
});
