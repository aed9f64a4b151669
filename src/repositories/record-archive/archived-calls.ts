// Repositories: a client's calls, merged from the database and the archive's files.
import type { Sql } from '#database/database.ts';
import type { ReportedCall } from '../access-record/call-json.ts';
import { callsOfItem } from '../access-record/item-calls.ts';
import { listAccess } from '../access-record/pages.ts';
import { type ArchivedMonth, listArchivedMonths, requireManifest } from './archived-months.ts';
import type { ArchivedCall } from './columns.ts';
import { openMonth } from './verified-file.ts';

export interface CallsQuery {
  clientId: string;
  /** Only calls that named this item, or whose responses contained it (item-calls.ts). */
  registryId: string | null;
  /** RFC 3339; `since` is inclusive, `until` exclusive. */
  since: string | null;
  until: string | null;
  limit: number;
}

const ANY = { firmId: null, keyId: null, outcome: null, endpoint: null, requestId: null } as const;

/**
 * The newest calls about a client. Throws an ArchiveFault if some may be in files that are missing, damaged or in an
 * unknown place: a result is always complete.
 */
export async function listCallsAbout(sql: Sql, directory: string | null, query: CallsQuery): Promise<ReportedCall[]> {
  const { clientId, registryId, since, until, limit } = query;
  const narrowed = { ...ANY, registryId, since, until };
  const found = (await listAccess(sql, clientId, narrowed, { size: limit, after: null })).slice(0, limit);
  // Read after the database, so that a month dropped in between is found in the archive.
  const months = await listArchivedMonths(sql, directory);
  const oldest = found.length === limit ? (found.at(-1)?.at ?? null) : null;
  const overlapping = months.filter(
    (month) => reaches(month, { since, until }) && (oldest === null || oldest < month.until),
  );
  const archived = await readArchived(sql, overlapping.reverse(), directory, query);
  const calls = new Map<string, ReportedCall>();
  for (const call of [...found, ...archived]) if (!calls.has(call.requestId)) calls.set(call.requestId, call);
  return [...calls.values()].sort(newestFirst).slice(0, limit);
}

const reaches = (month: ArchivedMonth, { since, until }: Pick<CallsQuery, 'since' | 'until'>): boolean =>
  (since === null || since < month.until) && (until === null || until > month.from);

function newestFirst(one: ReportedCall, other: ReportedCall): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1;
  return one.requestId < other.requestId ? 1 : -1;
}

async function readArchived(
  sql: Sql,
  months: readonly ArchivedMonth[],
  directory: string | null,
  query: CallsQuery,
): Promise<ArchivedCall[]> {
  const { clientId, registryId, limit } = query;
  const calls = callsIn(months, directory, query);
  try {
    if (registryId === null) return await take(calls, limit);
    const read = (_after: string[] | null, size: number) => take(calls, size);
    const whole = { after: null, max: limit, most: Number.POSITIVE_INFINITY };
    return (await callsOfItem(sql, { clientId, registryId }, read, whole)).calls;
  } finally {
    // Closes the file that was read last.
    await calls.return(undefined);
  }
}

/** Newest first. */
async function* callsIn(
  months: readonly ArchivedMonth[],
  directory: string | null,
  { clientId, since, until }: CallsQuery,
): AsyncGenerator<ArchivedCall> {
  for (const month of months) {
    await using file = await openMonth(directory ?? '', requireManifest(month, directory));
    for await (const calls of file.callsOf(clientId))
      for (const call of calls)
        if ((since === null || call.at >= since) && (until === null || call.at < until)) yield call;
  }
}

/** Takes the next values; the rest can be taken later. */
async function take<Value>(values: AsyncGenerator<Value>, max: number): Promise<Value[]> {
  const taken: Value[] = [];
  while (taken.length < max) {
    const { done, value } = await values.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}
