// Repositories: the access record page by page, for the client whose it is and for the firm that called.
import type { IncludeSet } from '#core/disclosure.ts';
import type { Outcome } from '#core/outcome.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { Bindings } from '../assets/asset-sql.ts';
import { FIRM_OF } from './activity.ts';
import { CANDIDATES, type Candidate, callsOfItem } from './item-calls.ts';
import { KEYS_ON_RECORD } from './parties.ts';

export interface AccessEntry {
  requestId: string;
  at: string;
  firmId: string;
  firmName: string;
  keyId: string;
  keyName: string;
  environment: string;
  clientId: string;
  endpoint: string;
  registryId: string | null;
  /** Title of the client's item; for firms always null. */
  itemTitle: string | null;
  scopes: ScopeSet;
  status: number;
  errorCode: string | null;
  /** Of the service token, where a tool of the platform read as the key. */
  toolRole: string | null;
  toolId: string | null;
  /** Numbers of the items that the answer carried, packed, and of those told as removed; null where not recorded, or none. */
  items: Buffer | null;
  removed: Buffer | null;
  /** Scopes of the fields that it carried, and lists that came with the items; null where not recorded. */
  disclosed: ScopeSet | null;
  includes: IncludeSet | null;
  /** Version of the API; null for tools and where not recorded. */
  version: string | null;
}

export interface AccessQuery {
  keyId: string | null;
  outcome: Outcome | null;
  endpoint: string | null;
  /** RFC 3339, inclusive. */
  since: string | null;
  /** RFC 3339, exclusive. */
  until: string | null;
}

/** A call by its whole id, or by the last characters of it. */
export type RequestSearch = { id: string; end?: never } | { id?: never; end: string };

/** `after` is the time and request id of the row before the page. */
export interface Walk {
  size: number;
  after: string[] | null;
  /** SQL of what is wanted of records `r`; the request id where not given. */
  columns?: string;
}

const OUTCOMES: Record<Outcome, string> = {
  ok: 'r.status < 400',
  refused: 'r.status >= 400 and r.status < 500 and r.status <> 429',
  limited: 'r.status >= 400 and r.status = 429',
  failed: 'r.status >= 400 and r.status >= 500',
};

/** Calls of the member's firm about clients it has to do with, newest first; one row more than asked tells of others. */
export function listCalls(
  sql: Sql,
  memberId: string,
  query: AccessQuery & { request: RequestSearch | null; errorCode: string | null },
  walk: Walk,
): Promise<AccessEntry[]> {
  const bindings = new Bindings();
  const firm = FIRM_OF(bindings.add(memberId));
  const conditions = ['r.related', ...narrowed(query, walk, bindings)];
  const ofKey = query.keyId === null ? '' : `and c.id = ${bindings.add(query.keyId)}`;
  const keys = `select c.id from api_keys c where c.firm_id = ${firm} ${ofKey}`;
  if (query.errorCode !== null) conditions.push(`r.status >= 400 and r.error_code = ${bindings.add(query.errorCode)}`);
  const { id = null, end = null } = query.request ?? {};
  if (id !== null) conditions.push(`r.request_id = ${bindings.add(id)}`);
  // Compared in the index of each key, which holds the ids: no row is read for those that end otherwise.
  if (end !== null) conditions.push(`right(r.request_id, length(${bindings.add(end)})) = ${bindings.add(end)}`);
  const page =
    id !== null || query.errorCode !== null || isRare(query.outcome)
      ? newest([...conditions, `r.firm_id = ${firm}`, `r.key_id in (${keys})`], walk, bindings)
      : newestByKey(keys, conditions, walk, bindings);
  return entries(sql, page, 'null', bindings);
}

/** Who called about the client, newest first; with `registryId` the calls that that item is in (item-calls.ts). */
export async function listAccess(
  sql: Sql,
  clientId: string,
  query: ClientQuery & { registryId: string | null },
  walk: Walk,
): Promise<AccessEntry[]> {
  const bindings = new Bindings();
  const { registryId } = query;
  if (registryId === null) return clientEntries(sql, accessPage(clientId, query, walk, bindings), clientId, bindings);
  const read = (after: string[] | null) => candidates(sql, clientId, { ...query, registryId }, after);
  const { size, after } = walk;
  const calls = await callsOfItem(sql, { clientId, registryId }, read, { after, most: size + 1 });
  const found = `select unnest(${bindings.add(calls)}::text[]) as request_id`;
  return clientEntries(sql, found, clientId, bindings);
}

type ClientQuery = AccessQuery & { firmId: string | null; requestId: string | null };

/** SQL that gives `request_id` of the client's newest calls. */
function accessPage(clientId: string, query: ClientQuery, walk: Walk, bindings: Bindings, condition?: string): string {
  const client = bindings.add(clientId);
  const conditions = [`r.client_id = ${client}`, ...narrowed(query, walk, bindings)];
  if (condition !== undefined) conditions.push(condition);
  if (query.requestId !== null) conditions.push(`r.request_id = ${bindings.add(query.requestId)}`);
  const keys = keysOf(query, bindings);
  return query.requestId !== null || isRare(query.outcome)
    ? newest([...conditions, ...(keys === null ? [] : [`r.key_id in (${keys})`])], walk, bindings)
    : newestByKey(keys ?? KEYS_ON_RECORD(client), conditions, walk, bindings);
}

/** The client's next calls that the item may be in. */
function candidates(
  sql: Sql,
  clientId: string,
  query: ClientQuery & { registryId: string },
  after: string[] | null,
): Promise<Candidate[]> {
  const bindings = new Bindings();
  const condition = `(r.status < 400 or r.registry_id = ${bindings.add(query.registryId)})`;
  const columns = `r.request_id as "requestId", r.at, r.key_id as "keyId", r.registry_id as "registryId", r.status,
    r.items, r.removed, r.disclosed`;
  const text = accessPage(clientId, query, { size: CANDIDATES - 1, after, columns }, bindings, condition);
  return sql.query<Candidate>({ text, values: bindings.values });
}

function narrowed({ outcome, endpoint, since, until }: AccessQuery, { after }: Walk, bindings: Bindings): string[] {
  const conditions: string[] = [];
  if (outcome !== null) conditions.push(OUTCOMES[outcome]);
  if (endpoint !== null) conditions.push(`r.endpoint = ${bindings.add(endpoint)}`);
  if (since !== null) conditions.push(`r.at >= ${bindings.add(since)}`);
  if (until !== null) conditions.push(`r.at < ${bindings.add(until)}`);
  const [at, requestId] = after ?? [];
  if (at !== undefined)
    conditions.push(`(r.at, r.request_id) < (${bindings.add(at)}::timestamptz, ${bindings.add(requestId)})`);
  return conditions;
}

/** SQL of the keys asked for: a chain of rotations, of a firm where both are named, or all keys of a firm. */
function keysOf({ keyId, firmId }: { keyId: string | null; firmId: string | null }, bindings: Bindings): string | null {
  if (keyId === null && firmId === null) return null;
  const wanted: string[] = [];
  if (keyId !== null) wanted.push(`c.lineage_id = (select lineage_id from api_keys where id = ${bindings.add(keyId)})`);
  if (firmId !== null) wanted.push(`c.firm_id = ${bindings.add(firmId)}`);
  return `select c.id from api_keys c where ${wanted.join(' and ')}`;
}

/** Refusals have an index of their own, without the keys. */
const isRare = (outcome: Outcome | null): boolean => outcome !== null && outcome !== 'ok';

const NEWEST = 'order by r.at desc, r.request_id desc';

function newest(conditions: string[], { size, columns = 'r.request_id' }: Walk, bindings: Bindings): string {
  return `select ${columns} from access_records r where ${conditions.join(' and ')} ${NEWEST}
    limit ${bindings.add(size + 1)}`;
}

/** Each key's newest are found in an index of it, and then the newest of those: nothing else is sorted. */
function newestByKey(
  keys: string,
  conditions: string[],
  { size, columns = 'r.request_id' }: Walk,
  bindings: Bindings,
): string {
  const limit = `limit ${bindings.add(size + 1)}`;
  const ofKey = `select r.* from access_records r
    where ${conditions.join(' and ')} and r.key_id = k.id ${NEWEST} ${limit}`;
  return `select ${columns} from (${keys}) k cross join lateral (${ofKey}) r ${NEWEST} ${limit}`;
}

function clientEntries(sql: Sql, page: string, clientId: string, bindings: Bindings): Promise<AccessEntry[]> {
  const client = bindings.add(clientId);
  const title = `(select i.title from items i where i.registry_id = r.registry_id and i.client_id = ${client})`;
  return entries(sql, page, title, bindings);
}

/** The rest of a row is looked up for the page only. */
function entries(sql: Sql, page: string, title: string, bindings: Bindings): Promise<AccessEntry[]> {
  return sql.query<AccessEntry>({
    text: `select r.request_id as "requestId", r.at, r.firm_id as "firmId", coalesce(f.name, r.firm_id) as "firmName",
        r.key_id as "keyId", coalesce(k.name, r.key_id) as "keyName", coalesce(k.environment, '') as environment, r.client_id as "clientId", r.endpoint, r.registry_id as "registryId",
        ${title} as "itemTitle", r.scopes, r.status, r.error_code as "errorCode",
        r.tool_role as "toolRole", r.tool_id as "toolId", r.items, r.removed, r.disclosed, r.includes, r.version
      from (${page}) page join access_records r using (request_id)
      -- A record outlives what it names.
      left join api_keys k on k.id = r.key_id left join firms f on f.id = r.firm_id
      ${NEWEST}`,
    values: bindings.values,
  });
}
