// Gateway: everything stored about a client as one file of newline-delimited JSON (docs/personal-data.md): the
// portfolio in the format of an import, consents with their receipts, the access record with what was disclosed, and
// the account without its secrets.
import type { Sql } from '#database/database.ts';
import type { DatabaseSnapshot } from '#database/snapshot.ts';
import { callsJson } from '#repositories/access-record/call-json.ts';
import { type AccessEntry, listAccess } from '#repositories/access-record/pages.ts';
import { listRecordedKeys } from '#repositories/access-record/parties.ts';
import { readChanges } from '#repositories/admission/change-log.ts';
import type { Person } from '#repositories/admission/principals.ts';
import { grantEvents, type NamedGrantEvent } from '#repositories/grants/grant-events.ts';
import { grantTermsJson, listNamedGrants, type NamedGrant } from '#repositories/grants/grant-queries.ts';
import { findErasure } from '#repositories/personal-data/erased-subjects.ts';
import { personRows } from '#repositories/personal-data/person-rows.ts';
import {
  EXPORT_FORMAT,
  portfolioLines,
  readClientLine,
  registryLines,
  WITHHELD,
} from '#repositories/personal-data/portfolio-lines.ts';
import { listArchivedMonths, requireManifest } from '#repositories/record-archive/archived-months.ts';
import type { RecordArchive } from '#repositories/record-archive/client-removal.ts';
import { openMonth } from '#repositories/record-archive/verified-file.ts';
import { viewGrantEvents, viewGrants } from '../consent/grant-view.ts';
import { signedReceiptOf } from '../consent/receipt-signature.ts';
import type { ReferenceData } from '../reference.ts';

export type Client = Extract<Person, { kind: 'client' }>;

export interface ExportSource {
  sql: Sql;
  reference: Pick<ReferenceData, 'current'>;
  /** Origin named in receipts; null where it is not configured. */
  issuer: string | null;
  /**
   * The archive of the record. Absent: the file only has the calls in the database, and `sql` need not be one snapshot.
   */
  archive?: Pick<RecordArchive, 'directory'>;
}

const PAGE_GRANTS = 50;
const PAGE_CALLS = 1_000;
const EVERY_GRANT = {
  status: null,
  keyId: null,
  firmId: null,
  clientId: null,
  search: null,
  expiringSoon: false,
} as const;
const EVERY_CALL = { firmId: null, keyId: null, outcome: null, endpoint: null, requestId: null, registryId: null };

/**
 * The file in pieces of whole lines: the header, `{kind, row}` for everything stored, and `{"kind":"end"}` with the
 * number of lines, without which the file is incomplete. Read page by page in bounded memory. Throws an ArchiveFault
 * where calls may be in files that are missing or damaged, or whose directory is not given. Without an archive no
 * transaction needs to stay open during the download; instead it throws an Error where a month was archived meanwhile,
 * portfolio or consents changed while they were read, or the client was erased.
 */
export async function* clientExport(source: ExportSource, client: Client): AsyncGenerator<string> {
  const at = new Date().toISOString();
  const archived_months = await leftOut(source);
  const head = { format: EXPORT_FORMAT, client: client.userId, at, withheld: WITHHELD, archived_months };
  yield `${JSON.stringify(head)}\n`;
  let count = 0;
  for await (const [kind, rows] of everything(source, client)) {
    count += rows.length;
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify({ kind, row })}\n`).join('');
  }
  if ((await leftOut(source)).some((month) => !archived_months.includes(month)))
    throw new Error('a month was archived during the export; try again');
  // An erasure meanwhile makes the file wrong: lines before it are no longer stored, and those after it are missing.
  if ((await findErasure(source.sql, client.userId)) !== null)
    throw new Error('the client was erased during the export');
  yield `${JSON.stringify({ kind: 'end', row: { lines: count } })}\n`;
}

/** Archived months, as `2026-01`, of which the file only has calls that are still in the database. */
async function leftOut({ sql, archive }: ExportSource): Promise<string[]> {
  if (archive !== undefined) return [];
  return (await listArchivedMonths(sql, null)).map(({ from }) => from.slice(0, 7));
}

async function* everything(source: ExportSource, client: Client): AsyncGenerator<[kind: string, rows: object[]]> {
  const { sql } = source;
  const seen = source.archive === undefined ? await requireUnchanged(sql, client.userId, null) : null;
  const own = await readClientLine(sql, client.userId);
  yield ['users', own === null ? [] : [own]];
  yield* portfolioLines(sql, client.userId);
  for await (const rows of registryLines(sql, client.userId)) yield ['registry_id', rows];
  yield* consents(source, client);
  if (seen !== null) await requireUnchanged(sql, client.userId, seen);
  for await (const rows of calls(sql, client.userId)) yield ['call', rows];
  if (source.archive !== undefined)
    for await (const rows of archivedCalls(sql, client.userId, source.archive.directory)) yield ['call', rows];
  yield* personRows(sql, client.userId);
}

/** The present snapshot. Throws an Error where the client, the portfolio or the grants have changed since `before`. */
async function requireUnchanged(
  sql: Sql,
  clientId: string,
  before: DatabaseSnapshot | null,
): Promise<DatabaseSnapshot> {
  const of = { keyId: '', firmId: '', clientId, admission: before, portfolio: before, horizon: false };
  const [now] = await readChanges(sql, [of]);
  if (now === undefined || (before !== null && !(now.admissionUnchanged && now.portfolioUnchanged)))
    throw new Error('the portfolio or the consents changed during the export; try again');
  return now.moment.snapshot;
}

/** Each grant, followed by its steps and their receipts. */
async function* consents(
  { sql, reference, issuer }: ExportSource,
  client: Client,
): AsyncGenerator<[kind: string, rows: object[]]> {
  const actor = { kind: 'client', id: client.userId } as const;
  const context = { database: sql, reference, principal: client };
  for (let after: string[] | null = null; ; ) {
    const { grants } = await listNamedGrants(sql, actor, EVERY_GRANT, { size: PAGE_GRANTS, after });
    const page: NamedGrant[] = grants.slice(0, PAGE_GRANTS);
    const events = await grantEvents(
      sql,
      page.map(({ id }) => id),
    );
    for (const grant of page) {
      const own = events.get(grant.id) ?? [];
      yield ['grant', [grantJson(grant)]];
      yield ['grant_event', own.map(eventJson)];
      const [view] = await viewGrants(context, [grant]);
      const viewed = await viewGrantEvents(context, own);
      if (view === undefined) continue;
      for (const event of viewed)
        yield ['receipt', [await signedReceiptOf(sql, { grant: view, event, events: viewed }, issuer)]];
    }
    const last: NamedGrant | undefined = page.at(-1);
    if (grants.length <= PAGE_GRANTS || last === undefined) return;
    after = [last.createdAt, last.id];
  }
}

const grantJson = (grant: NamedGrant) => ({
  id: grant.id,
  firm_id: grant.firmId,
  firm_name: grant.firmName,
  key_id: grant.keyId,
  key_name: grant.keyName,
  environment: grant.environment,
  ...grantTermsJson(grant),
});

const eventJson = (event: NamedGrantEvent) => ({
  id: event.id,
  grant_id: event.grantId,
  at: event.at,
  actor: event.actor,
  action: event.action,
  details: event.details,
});

/** Newest first, as shown to the client, with what each response disclosed. */
async function* calls(sql: Sql, clientId: string): AsyncGenerator<object[]> {
  for await (const page of callPages(sql, clientId))
    yield (await callsJson(sql, page)).map((call, at) => ({
      ...call,
      ...{ firm_name: page[at]?.firmName, key_name: page[at]?.keyName, error_code: page[at]?.errorCode },
    }));
}

async function* callPages(
  sql: Sql,
  clientId: string,
  { since = null, until = null }: { since?: string | null; until?: string | null } = {},
): AsyncGenerator<AccessEntry[]> {
  const query = { ...EVERY_CALL, since, until };
  for (let after: string[] | null = null; ; ) {
    const found = await listAccess(sql, clientId, query, { size: PAGE_CALLS, after });
    const page = found.slice(0, PAGE_CALLS);
    yield page;
    const last = page.at(-1);
    if (found.length <= PAGE_CALLS || last === undefined) return;
    after = [last.at, last.requestId];
  }
}

/**
 * Archived calls that are not in the database. Late calls, and those of a month about to be dropped, may be in both.
 */
async function* archivedCalls(sql: Sql, clientId: string, directory: string | null): AsyncGenerator<object[]> {
  const parties = new Map((await listRecordedKeys(sql, clientId)).map((party) => [party.keyId, party]));
  for (const month of (await listArchivedMonths(sql, directory)).reverse()) {
    const given = new Set<string>();
    for await (const page of callPages(sql, clientId, { since: month.from, until: month.until }))
      for (const { requestId } of page) given.add(requestId);
    await using file = await openMonth(directory ?? '', requireManifest(month, directory));
    for await (const archived of file.callsOf(clientId)) {
      const page = archived.filter(({ requestId }) => !given.has(requestId));
      yield (await callsJson(sql, page)).map((call, at) => ({
        ...call,
        firm_name: parties.get(call.key_id)?.firmName ?? call.firm_id,
        key_name: parties.get(call.key_id)?.keyName ?? call.key_id,
        error_code: page[at]?.errorCode,
      }));
    }
  }
}
