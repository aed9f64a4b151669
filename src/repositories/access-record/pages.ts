// Repositories: pages of the access record, for the client it is about and for the firm that called.
import { isId, requestIdOf, requestUuid, uuidEnd } from '#core/ids.ts';
import type { RecordedCall } from '#core/ledger/entry-text.ts';
import { Bindings } from '#database/bindings.ts';
import type { Sql } from '#database/database.ts';
import { firmOf } from '../access-condition.ts';
import type { Walk } from '../walk.ts';
import { daysWithCalls, type FirmQuery, type KeyDay, OUTCOMES, requireFewCalls } from './call-days.ts';
import { type Candidate, callsOfItem } from './item-calls.ts';
import { aroundId, bySpans, type Span, timeOfCalls } from './spans.ts';

export interface AccessEntry extends Omit<RecordedCall, 'clientId'> {
  firmName: string;
  keyName: string;
  environment: string;
  /** In a firm's calls that no grant joined to a client: the client id from the request, if it has the form of one. */
  clientId: string | null;
  /** Set for a call to no route. */
  path: string | null;
  /** Title of the client's item; for firms always null. */
  itemTitle: string | null;
  /** The parameter at fault, and the error message in the response; null if not recorded. */
  param: string | null;
  message: string | null;
  /** Response time in milliseconds, and the caller's address and user agent; null if not recorded. */
  tookMs: number | null;
  address: string | null;
  userAgent: string | null;
}

export type AccessQuery = Omit<FirmQuery, 'status' | 'errorCode'>;

/** A call by its full request id, or by the last characters of it. */
export type RequestSearch = { id: string; end?: never } | { id?: never; end: string };

const withTimesOfCalls = <Query extends AccessQuery>(query: Query): Query => ({
  ...query,
  ...{ since: timeOfCalls(query.since), until: timeOfCalls(query.until) },
});

type CallsQuery = FirmQuery & { request: RequestSearch | null };

/**
 * Calls of the keys of the member's firm, newest first; one row more than requested if there are more. From the
 * clients' record only calls that a grant joined to the client: other refused calls are in a table of their own,
 * written from the request alone. Throws Refusal `invalid_parameter` if a request id would have to be searched in too
 * many calls.
 */
export async function listCalls(sql: Sql, memberId: string, requested: CallsQuery, walk: Walk): Promise<AccessEntry[]> {
  const query = withTimesOfCalls(requested);
  const { request } = query;
  const read = (span: Span, size: number) => firmEntries(sql, memberId, { ...query, ...span }, { ...walk, size });
  if (request?.id !== undefined) {
    const readAll = async (span: Span, size: number) => {
      if (span.from === undefined) await requireFewCalls(sql, memberId, query);
      return read(span, size);
    };
    return isId('request', request.id) ? aroundId(request.id, walk.size, readAll) : [];
  }
  if (request !== null) await requireFewCalls(sql, memberId, query);
  else if ([query.outcome, query.endpoint, query.status, query.errorCode].some((wanted) => wanted !== null)) {
    const days = await daysWithCalls(sql, memberId, query, walk);
    const rows = await firmEntries(sql, memberId, { ...query, days, from: days.at(-1)?.day }, walk);
    // With fewer rows and more days, calls of these days are no longer in the record, and older ones may be.
    if (rows.length > walk.size || days.length <= walk.size) return rows;
  }
  return bySpans({ ...query, ...walk }, read);
}

function firmEntries(
  sql: Sql,
  memberId: string,
  query: CallsQuery & Span & { days?: KeyDay[] },
  walk: Walk,
): Promise<AccessEntry[]> {
  const bindings = new Bindings();
  const firm = firmOf(bindings.add(memberId));
  const ofKey = query.keyId === null ? '' : `and c.id = ${bindings.add(query.keyId)}`;
  const conditions = narrowed(query, walk, bindings);
  if (query.status !== null) conditions.push(`r.status = ${bindings.add(query.status)}`);
  // The condition is worded like that of the partial index of refusals, so that it can be used.
  if ((query.status ?? 0) >= 400 || query.errorCode !== null) conditions.push('r.status >= 400');
  if (query.errorCode !== null) conditions.push(shapeWith('error_code', query.errorCode, bindings));
  const { id, end } = query.request ?? {};
  if (id !== undefined) conditions.push(`r.id = ${bindings.add(requestUuid(id))}::uuid`);
  if (end !== undefined) {
    const digits = uuidEnd(end);
    conditions.push(`right(r.id::text, ${digits.length}) = ${bindings.add(digits)}`);
    conditions.push(`right(request_id(r.id), ${end.length}) = ${bindings.add(end)}`);
  }
  const limit = `limit ${bindings.add(walk.size + 1)}`;
  const newest = (columns: string, from: string, condition: string) => `(select ${columns} from ${from} r
    where ${['r.key = k.number', condition, ...conditions].join(' and ')} ${NEWEST_OF_ONE} ${limit})`;
  let days = '';
  if (query.days !== undefined) {
    const lists = [query.days.map(({ keyId }) => keyId), query.days.map(({ day }) => day)].map((list) =>
      bindings.add(list),
    );
    days = `join (select distinct key_id, day::timestamp at time zone 'UTC' as begins
      from unnest(${lists[0]}::text[], ${lists[1]}::date[]) as d (key_id, day)) d on d.key_id = c.id`;
    conditions.push(`r.at >= k.begins and minute_of(r.at) >= minute_of(k.begins)
      and r.at < k.begins + interval '24 hours' and minute_of(r.at) < minute_of(k.begins + interval '24 hours')`);
  }
  const page = `select r.* from (
      select n.number${days === '' ? '' : ', d.begins'} from api_keys c join access_keys n on n.key_id = c.id ${days}
      where c.firm_id = ${firm} ${ofKey}) k
    cross join lateral (
      ${newest(CLIENT_COLUMNS, 'access_calls', 'r.related')}
      union all
      ${newest(`${COLUMNS}, null, r.client_id, r.registry_id, r.path, null::bytea, ''::bytea`, 'firm_refusals', 'true')}) r
    ${NEWEST} ${limit}`;
  return entries(sql, page, 'null', bindings);
}

type RecordQuery = ClientQuery & { registryId: string | null };

/**
 * Calls about the client, newest first; with `registryId` only those that concern that item (item-calls.ts). One row
 * more than requested if there are more.
 */
export async function listAccess(
  sql: Sql,
  clientId: string,
  requested: RecordQuery,
  walk: Walk,
): Promise<AccessEntry[]> {
  return (await listAccessWithin(sql, clientId, requested, walk, Number.POSITIVE_INFINITY)).entries;
}

/** Bounds the time of a request for an item that few of many calls concern. */
const MAX_EXAMINED = 100_000;

/**
 * Like `listAccess`, but examines at most `most` calls for an item. If it stops there, `stoppedAt` is the position from
 * which to continue, and there may be fewer entries than requested, or none.
 */
export async function listAccessWithin(
  sql: Sql,
  clientId: string,
  requested: RecordQuery,
  walk: Walk,
  most = MAX_EXAMINED,
): Promise<{ entries: AccessEntry[]; stoppedAt: string[] | null }> {
  const query = withTimesOfCalls(requested);
  const { registryId, requestId } = query;
  const whole = (found: AccessEntry[]) => ({ entries: found, stoppedAt: null });
  if (requestId !== null && !isId('request', requestId)) return whole([]);
  if (registryId !== null) return itemEntries(sql, clientId, { ...query, registryId }, walk, most);
  const read = (span: Span, size: number) => clientEntries(sql, clientId, { ...query, ...span }, { ...walk, size });
  return whole(
    await (requestId === null ? bySpans({ ...query, ...walk }, read) : aroundId(requestId, walk.size, read)),
  );
}

async function itemEntries(
  sql: Sql,
  clientId: string,
  query: ClientQuery & { registryId: string },
  { size, after }: Walk,
  most: number,
): Promise<{ entries: AccessEntry[]; stoppedAt: string[] | null }> {
  const { registryId } = query;
  const read = (from: string[] | null, max: number) =>
    bySpans({ ...query, size: max - 1, after: from }, (span, part) =>
      candidates(sql, clientId, { ...query, ...span }, { size: part, after: from }),
    );
  const search = { after, max: size + 1, most };
  const { calls, stoppedAt } = await callsOfItem(sql, { clientId, registryId }, read, search);
  const bindings = new Bindings();
  const lists = [
    `${bindings.add(calls.map(({ pair }) => pair))}::integer[]`,
    `${bindings.add(calls.map(({ at }) => at))}::timestamptz[]`,
    `${bindings.add(calls.map(({ requestId }) => requestUuid(requestId)))}::uuid[]`,
  ];
  const found = `select ${CLIENT_COLUMNS} from unnest(${lists.join(', ')}) found (pair, at, id)
    join access_calls r on r.pair = found.pair and r.at = found.at and minute_of(r.at) = minute_of(found.at) and r.id = found.id`;
  return { entries: await entries(sql, found, titleFor(clientId, bindings), bindings), stoppedAt };
}

type ClientQuery = AccessQuery & { firmId: string | null; requestId: string | null };

const COLUMNS = 'r.at, r.id, r.key, r.shape, r.origin, r.took_us, r.status';
const CLIENT_COLUMNS = `${COLUMNS}, r.pair, null::text as client_id, nullif(r.registry_id, '') as registry_id,
  null::text as path, r.items, r.removed`;

function clientEntries(sql: Sql, clientId: string, query: ClientQuery & Span, walk: Walk): Promise<AccessEntry[]> {
  const bindings = new Bindings();
  const page = accessPage(clientId, query, walk, CLIENT_COLUMNS, bindings);
  return entries(sql, page, titleFor(clientId, bindings), bindings);
}

const titleFor = (clientId: string, bindings: Bindings): string =>
  `(select i.title from items i where i.registry_id = r.registry_id and i.client_id = ${bindings.add(clientId)})`;

/** SQL for `columns` of the client's newest calls. An index gives the newest of each key, and only these are sorted. */
function accessPage(
  clientId: string,
  query: ClientQuery & Span,
  walk: Walk,
  columns: string,
  bindings: Bindings,
  condition?: string,
): string {
  const conditions = ['r.pair = p.number', ...narrowed(query, walk, bindings)];
  if (condition !== undefined) conditions.push(condition);
  if (query.requestId !== null) conditions.push(`r.id = ${bindings.add(requestUuid(query.requestId))}::uuid`);
  const keys = keysOf(query, bindings);
  const pairs = `select p.number, p.key_id from access_pairs p where p.client_id = ${bindings.add(clientId)}
    ${keys === null ? '' : `and p.key_id in (${keys})`}`;
  const limit = `limit ${bindings.add(walk.size + 1)}`;
  const ofPair = `select r.* from access_calls r where ${conditions.join(' and ')} ${NEWEST_OF_ONE} ${limit}`;
  return `select ${columns} from (${pairs}) p cross join lateral (${ofPair}) r ${NEWEST} ${limit}`;
}

/** `pair` finds the row of the call again. */
type PlacedCandidate = Candidate & { pair: number };

/** The client's next calls that may concern the item, one more than `walk.size`. */
async function candidates(
  sql: Sql,
  clientId: string,
  query: ClientQuery & Span & { registryId: string },
  walk: Walk,
): Promise<PlacedCandidate[]> {
  const bindings = new Bindings();
  const condition = `(r.status < 400 or r.registry_id = ${bindings.add(query.registryId)})`;
  const columns = `r.id, r.at, r.pair, p.key_id as "keyId", nullif(r.registry_id, '') as "registryId", r.status, r.items,
    nullif(r.removed, '') as removed, (select s.disclosed from access_shapes s where s.number = r.shape) as disclosed`;
  const text = accessPage(clientId, query, walk, columns, bindings, condition);
  const rows = await sql.query<Omit<PlacedCandidate, 'requestId'> & { id: string }>({ text, values: bindings.values });
  return rows.map(({ id, ...row }) => ({ ...row, requestId: requestIdOf(id) }));
}

function narrowed(
  { outcome, endpoint, since, until, from, before }: AccessQuery & Span,
  { after }: Walk,
  bindings: Bindings,
): string[] {
  const conditions: string[] = [];
  const earliest = [since, from].filter((time) => time !== null && time !== undefined);
  const latest = [until, before].filter((time) => time !== null && time !== undefined);
  if (outcome !== null) conditions.push(OUTCOMES[outcome]);
  if (endpoint !== null) conditions.push(shapeWith('endpoint', endpoint, bindings));
  // The time excludes whole months; the minute uses the index within a month.
  for (const time of earliest) {
    const bound = `${bindings.add(time)}::timestamptz`;
    conditions.push(`r.at >= ${bound} and minute_of(r.at) >= minute_of(${bound})`);
  }
  for (const time of latest) {
    const bound = `${bindings.add(time)}::timestamptz`;
    conditions.push(`r.at < ${bound} and minute_of(r.at) <= minute_of(${bound})`);
  }
  const [at, requestId] = after ?? [];
  if (at !== undefined && requestId !== undefined) {
    const bound = `${bindings.add(at)}::timestamptz`;
    const id = `${bindings.add(requestUuid(requestId))}::uuid`;
    conditions.push(`r.at <= ${bound} and (minute_of(r.at), r.at, r.id) < (minute_of(${bound}), ${bound}, ${id})`);
  }
  return conditions;
}

/** Not as a list of shapes: there may be millions of them, since callers choose the names of unknown parameters. */
const shapeWith = (column: string, value: string, bindings: Bindings): string =>
  `exists (select from access_shapes s where s.number = r.shape and s.${column} = ${bindings.add(value)})`;

/** SQL for the requested keys: a lineage (limited to a firm if both are given), or all keys of a firm. */
function keysOf({ keyId, firmId }: { keyId: string | null; firmId: string | null }, bindings: Bindings): string | null {
  if (keyId === null && firmId === null) return null;
  const conditions: string[] = [];
  if (keyId !== null)
    conditions.push(`c.lineage_id = (select lineage_id from api_keys where id = ${bindings.add(keyId)})`);
  if (firmId !== null) conditions.push(`c.firm_id = ${bindings.add(firmId)}`);
  return `select c.id from api_keys c where ${conditions.join(' and ')}`;
}

const NEWEST = 'order by r.at desc, r.id desc';
/** The same order, as the indexes by minute have it: only the calls of one minute have to be sorted. */
const NEWEST_OF_ONE = 'order by minute_of(r.at) desc, r.at desc, r.id desc';

/** Names and titles are looked up only for the rows of the page. */
async function entries(sql: Sql, page: string, title: string, bindings: Bindings): Promise<AccessEntry[]> {
  const text = `select r.id, r.at, n.firm_id as "firmId", coalesce(f.name, n.firm_id) as "firmName",
      n.key_id as "keyId", coalesce(k.name, n.key_id) as "keyName", coalesce(k.environment, '') as environment,
      coalesce(p.client_id, r.client_id) as "clientId", s.endpoint, r.path, r.registry_id as "registryId",
      ${title} as "itemTitle", s.scopes, r.status, s.error_code as "errorCode",
      s.tool_role as "toolRole", s.tool_id as "toolId", r.items, nullif(r.removed, '') as removed, s.disclosed, s.includes,
      s.version, s.param, s.message, r.took_us / 1000.0::float8 as "tookMs", o.address, o.user_agent as "userAgent"
    from (${page}) r
    join access_keys n on n.number = r.key
    join access_shapes s on s.number = r.shape
    left join access_pairs p on p.number = r.pair
    left join access_origins o on o.number = r.origin
    -- A record outlives what it names.
    left join api_keys k on k.id = n.key_id left join firms f on f.id = n.firm_id
    ${NEWEST}`;
  const rows = await sql.query<Omit<AccessEntry, 'requestId'> & { id: string }>({ text, values: bindings.values });
  return rows.map(({ id, ...row }) => ({ ...row, requestId: requestIdOf(id) }));
}
