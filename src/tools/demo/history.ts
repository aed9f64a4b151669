// Tools: the demonstration's history: ended keys and grants, and a month of calls.
import { makeKeySecret } from '#auth/key-format.ts';
import type { Actor } from '#core/actor.ts';
import { ALL_SCOPES, type ScopeSet, scopeSet } from '#core/scopes.ts';
import { DAY_MS } from '#core/timestamps.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { readColumn, readValue } from '#database/rows.ts';
import { saveAccessRecords } from '#repositories/access-record/writer.ts';
import { insideFilter } from '#repositories/assets/asset-sql.ts';
import { type Grant, listGrants } from '#repositories/grants/grant-queries.ts';
import { declineGrant, requestGrant, revokeGrant } from '#repositories/grants/grants.ts';
import { type ApiKey, listKeys } from '#repositories/keys/key-queries.ts';
import { DEFAULT_OVERLAP_MS, revokeKey, rotateKeyInTransaction } from '#repositories/keys/keys.ts';
import { type DemoGrants, MEMBER } from './grants.ts';
import { type Caller, historyCalls } from './history-calls.ts';
import { daysBefore } from './history-events.ts';
import { BEAT, DEMO_FIRM, ELEANOR, KEIKO, MATTEO, oldestItems } from './load.ts';

export const REVIEW_KEY = 'Demo: insurance review';

/** Days ago. */
export const NARROWED = 9;
const ROTATED = 14;
const PILOT_ENDED = 24;

const PAST_DAYS = 30;
const CLIENTS = [ELEANOR, MATTEO, KEIKO, BEAT];
const MAX_PER_BATCH = 500;

const clientActor = (id: string): Actor => ({ kind: 'client', id });

/** Whether the record has calls of the clients' last days; then no history may be added. */
export function hasHistory(sql: Sql): Promise<boolean> {
  return readValue(sql, {
    text: `select exists (select from access_pairs p join access_calls r on r.pair = p.number
        where p.client_id = any($1) and r.at > now() - $2 * interval '1 day') as found`,
    values: [CLIENTS, PAST_DAYS],
  });
}

/** A pilot in production: Beat revoked the grant, and the firm revoked the key. */
export async function endedPilot(demoGrants: DemoGrants): Promise<void> {
  const scopes = scopeSet(['registry', 'valuation', 'documentation']);
  const { id } = await demoGrants.makeKey('Demo: pilot', 'production', scopes, 52);
  const grant = await demoGrants.grant([id, BEAT], scopes, { type: 'all' }, 50);
  demoGrants.grants.pop();
  await revokeGrant(demoGrants.sql, grant, clientActor(BEAT));
  demoGrants.happened(grant, 'revoke', PILOT_ENDED);
  await revokeKey(demoGrants.sql, id, MEMBER);
  demoGrants.happened(id, 'revoke', PILOT_ENDED);
}

/** The firm asked for more than Eleanor would give; its second request is pending. */
export async function declinedRequest(demoGrants: DemoGrants, keyId: string): Promise<void> {
  const request = { keyId, client: ELEANOR, scopes: ALL_SCOPES, filter: { type: 'all' } as const, expiresAt: null };
  const { id } = await requestGrant(demoGrants.sql, { ...request, purpose: 'A review of all your insurance.' }, MEMBER);
  demoGrants.happened(id, 'request', 21);
  await declineGrant(demoGrants.sql, id, clientActor(ELEANOR));
  demoGrants.happened(id, 'decline', 19);
}

/** Rotates the key. The successor replaces it in the results. */
export async function rotated(demoGrants: DemoGrants, keyId: string): Promise<void> {
  const secret = makeKeySecret('sandbox');
  const overlapMs = DEFAULT_OVERLAP_MS;
  const { successor } = await rotateKeyInTransaction(demoGrants.sql, keyId, { secret, overlapMs }, MEMBER);
  demoGrants.happened(keyId, 'rotate', ROTATED);
  demoGrants.happened(successor.id, 'create', ROTATED);
  for (const key of demoGrants.keys)
    if (key.id === keyId) Object.assign(key, { id: successor.id, secret: secret.text });
  for (const grant of demoGrants.grants) if (grant.key_id === keyId) grant.key_id = successor.id;
}

/** Saves a month of calls of all keys, like regular calls. */
export async function saveCalls(demoGrants: DemoGrants): Promise<void> {
  const calls = historyCalls(await callersOf(demoGrants), demoGrants.now);
  for (let from = 0; from < calls.length; from += MAX_PER_BATCH)
    await saveAccessRecords(demoGrants.sql, calls.slice(from, from + MAX_PER_BATCH));
}

/** Callers with keys of this run only. */
async function callersOf({ sql, events, now }: DemoGrants): Promise<Caller[]> {
  const made = new Set(events.map(({ id }) => id));
  const keys = (await listKeys(sql, { firmId: DEMO_FIRM })).filter(({ id }) => made.has(id));
  const grants = (await listGrants(sql, { firmId: DEMO_FIRM })).filter(({ id }) => made.has(id));
  const callers: Caller[] = [];
  for (const grant of grants.sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const { clientId } = grant;
    if (clientId === null) continue;
    const inside = await itemsInside(sql, grant);
    const all = await oldestItems(sql, clientId, 100);
    const numbers = await numbersOf(sql, clientId);
    for (const key of keys.filter(({ lineageId }) => lineageId === grant.lineageId))
      callers.push(...periods(key, { ...grant, clientId }, { inside, all, numbers }, now));
  }
  return callers;
}

function periods(
  key: ApiKey,
  grant: Grant & { clientId: string },
  { inside, all, numbers }: { inside: string[]; all: string[]; numbers: Caller['numbers'] },
  now: number,
): Caller[] {
  if (grant.activatedAt === null) return [];
  const from = Math.max(Date.parse(grant.activatedAt), Date.parse(key.createdAt), now - (PAST_DAYS - 1) * DAY_MS);
  // A successor replaces its predecessor at once; the overlap is not used.
  const ended = grant.endedAt ?? (key.rotatedTo === null ? null : key.expiresAt);
  const until = ended === null ? now : Date.parse(ended) - DEFAULT_OVERLAP_MS;
  const scopes: ScopeSet = key.scopes & grant.scopes;
  const outside = all.filter((item) => !inside.includes(item));
  const ids = { firmId: key.firmId, keyId: key.id, clientId: grant.clientId };
  const pace = PACE[key.name] ?? 1;
  const hasty = grant.clientId === MATTEO;
  const caller: Caller = { ...ids, scopes, inside, outside, numbers, from, until, pace, nightly: pace >= 2, hasty };
  if (grant.filter.type !== 'items') return [caller];
  // The items that it covered before it was narrowed.
  const change = daysBefore(now, NARROWED);
  return [
    { ...caller, until: change, inside: all.slice(0, 4), outside: [] },
    { ...caller, from: change, outside: all.slice(2, 4) },
  ];
}

/** Sessions of several calls per working day. */
const PACE: Record<string, number> = {
  'Demo: everything that is granted': 2,
  'Demo: monthly report': 0.6,
  'Demo: pilot': 2,
  'Demo: production': 2.5,
};

async function numbersOf(sql: Sql, clientId: string): Promise<Caller['numbers']> {
  const rows = await sql.query<{ registry_id: string; number: number }>({
    text: 'select registry_id, number from items where client_id = $1',
    values: [clientId],
  });
  return new Map(rows.map(({ registry_id, number }) => [registry_id, number]));
}

function itemsInside(sql: Sql, { clientId, filter }: Grant): Promise<string[]> {
  const bindings = new Bindings();
  const text = `select i.registry_id from items i
    where i.client_id = ${bindings.add(clientId)} and ${insideFilter(filter, bindings)} order by i.id`;
  return readColumn(sql, { text, values: bindings.values });
}
