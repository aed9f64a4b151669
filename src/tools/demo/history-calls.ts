// Tools: a month of invented calls of a firm's programs, the same for the same day and keys.
import { type Disclosure, packNumbers } from '#core/disclosure.ts';
import type { AccessEvent } from '#core/events.ts';
import { newId } from '#core/ids.ts';
import { ALL_SCOPES, hasScope, type ScopeSet, scopeSet } from '#core/scopes.ts';
import { TIER_LIMITS } from '#core/tiers.ts';
import { DAY_MS } from '#core/timestamps.ts';
import { daysBefore } from './history-events.ts';

export interface Caller extends Pick<AccessEvent, 'firmId' | 'keyId' | 'clientId' | 'scopes'> {
  /** Registry ids of the client's items that the grant covers, and of others. */
  inside: string[];
  outside: string[];
  /** Numbers of the client's items by registry id. */
  numbers: ReadonlyMap<string, number>;
  /** Unix milliseconds. */
  from: number;
  until: number;
  /** Average number of sessions on a working day. */
  pace: number;
  /** Whether it synchronises every night. */
  nightly: boolean;
  /** Whether it once exceeded its limit. */
  hasty: boolean;
}

type Call = Pick<AccessEvent, 'endpoint' | 'registryId' | 'status' | 'errorCode'>;
type SeededRandom = () => number;

const ASSETS = 'GET /api/v1/assets';
const ASSET = `${ASSETS}/{registry_id}`;
const VALUATIONS = `${ASSET}/valuations`;
const DOCUMENTS = `${ASSET}/documents`;
const SUMMARY = 'GET /api/v1/portfolio/summary';

const MINUTE_MS = 60_000;
/** Version of the API that the firm's programs use. */
const VERSION = '2026-01-15';
const DEFAULT_PAGE_SIZE = 25;
const DAYS = 30;
/** Within the last day, which operations see when they try another tier. */
const HASTE_DAYS_AGO = 20 / 24;
const REFUSED_IN_HASTE = 26;
const UNKNOWN_DAYS_AGO = [17, 6];

const UNCHANGED: Call = { endpoint: ASSETS, registryId: null, status: 304, errorCode: null };

/** Oldest first. None is outside its caller's time. */
export function historyCalls(callers: readonly Caller[], now: number): AccessEvent[] {
  const calls = callers.flatMap((caller, index) => {
    const days = Array.from({ length: DAYS }, (_, daysAgo) => dayOf(caller, index, daysAgo, now)).flat();
    const unknown = caller.scopes === ALL_SCOPES ? notFound(caller, now) : [];
    return [...days, ...unknown, ...(caller.hasty ? burst(caller, now) : [])];
  });
  return calls
    .sort((one, other) => one.at - other.at)
    .map(({ at, ...call }) => ({ ...call, requestId: newId('request', at), at: new Date(at).toISOString() }));
}

type TimedCall = Omit<AccessEvent, 'requestId' | 'at'> & { at: number };

function timed(caller: Caller, at: number, call: Call): TimedCall {
  const { firmId, keyId, clientId, scopes } = caller;
  const answered = call.status < 400 ? { disclosure: disclosed(caller, call), version: VERSION } : {};
  return { firmId, keyId, clientId, scopes, at, ...call, ...answered };
}

/** Scopes of the fields served by endpoints that do not serve all. */
const CARRIED: Record<string, ScopeSet> = {
  [VALUATIONS]: scopeSet(['valuation']),
  [DOCUMENTS]: scopeSet(['documentation']),
  [SUMMARY]: scopeSet(['registry', 'valuation', 'documentation']),
};

/** What a response would have contained under the present grant. */
function disclosed({ inside, numbers, scopes }: Caller, { endpoint, registryId }: Call): Disclosure {
  const page = endpoint === SUMMARY ? [] : registryId === null ? inside.slice(0, DEFAULT_PAGE_SIZE) : [registryId];
  const items = packNumbers(page.flatMap((item) => numbers.get(item) ?? []));
  return { items, removed: null, scopes: scopes & (CARRIED[endpoint] ?? ALL_SCOPES), includes: 0 };
}

function dayOf(caller: Caller, index: number, daysAgo: number, now: number): TimedCall[] {
  const midnight = (Math.floor(now / DAY_MS) - daysAgo) * DAY_MS;
  const random = seededRandom(index * 1_000 + daysAgo);
  const weekend = [0, 6].includes(new Date(midnight).getUTCDay());
  const sessions = weekend ? Number(random() < 0.2) : Math.floor(caller.pace * (0.6 + 0.8 * random()) + random());
  const calls: TimedCall[] = [];
  if (caller.nightly) calls.push(timed(caller, midnight + (130 + index) * MINUTE_MS + daysAgo * 417, UNCHANGED));
  for (let nth = 0; nth < sessions; nth++) {
    let at = midnight + Math.floor((6 + 12 * random()) * 60) * MINUTE_MS;
    for (const call of session(caller, random)) {
      at += 800 + Math.floor(random() * 14_000);
      calls.push(timed(caller, at, call));
    }
  }
  return calls.filter(({ at }) => at >= caller.from && at < caller.until);
}

/** The list first, then items of it, and occasionally an invalid call. */
function session({ inside, outside, scopes }: Caller, random: SeededRandom): Call[] {
  const pick = (items: readonly string[]) => items[Math.floor(random() * items.length)] ?? null;
  const calls = [read(ASSETS, null, random)];
  if (random() < 0.35) calls.push(read(SUMMARY, null, random));
  const about = [ASSET, ASSET];
  if (hasScope(scopes, 'valuation')) about.push(VALUATIONS);
  if (hasScope(scopes, 'documentation')) about.push(DOCUMENTS);
  const count = 2 + Math.floor(random() * 4);
  for (let nth = 0; nth < count; nth++) calls.push(read(pick(about) ?? ASSET, pick(inside), random));
  if (random() < 0.12) {
    const lacking = [VALUATIONS, DOCUMENTS].find((path) => !about.includes(path));
    if (outside.length > 0 && random() < 0.5) calls.push(refused(ASSET, pick(outside), 403, 'asset_not_in_grant'));
    else if (lacking !== undefined) calls.push(refused(lacking, pick(inside), 403, 'insufficient_scope'));
  }
  return calls;
}

function read(endpoint: string, registryId: string | null, random: SeededRandom): Call {
  return { endpoint, registryId, status: random() < 0.18 ? 304 : 200, errorCode: null };
}

function refused(endpoint: string, registryId: string | null, status: number, errorCode: string): Call {
  return { endpoint, registryId, status, errorCode };
}

/** Calls with mistyped ids. */
function notFound(caller: Caller, now: number): TimedCall[] {
  const [item = ''] = caller.inside;
  return UNKNOWN_DAYS_AGO.map((day, nth) => {
    const slip = `${item.slice(0, -2)}${nth}Z`;
    return timed(caller, daysBefore(now, day), refused(ASSET, slip, 404, 'asset_not_found'));
  });
}

/** A loop without a pause: as many calls as the limit per minute allows, and some more. */
function burst(caller: Caller, now: number): TimedCall[] {
  // Starts at a fixed minute of an hour, so that the burst is within one day.
  const start = Math.floor(daysBefore(now, HASTE_DAYS_AGO) / (60 * MINUTE_MS)) * 60 * MINUTE_MS + 4 * MINUTE_MS;
  return Array.from({ length: TIER_LIMITS.sandbox + REFUSED_IN_HASTE }, (_, nth) => {
    const item = caller.inside[nth % caller.inside.length] ?? null;
    const late = nth >= TIER_LIMITS.sandbox;
    const call = late
      ? refused(ASSET, item, 429, 'rate_limit_exceeded')
      : { endpoint: ASSET, registryId: item, status: 200, errorCode: null };
    return timed(caller, start + nth * 310, call);
  });
}

/** Between 0 and 1, the same sequence for the same seed (mulberry32). */
function seededRandom(seed: number): SeededRandom {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
