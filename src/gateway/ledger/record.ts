// Gateway: the data by which clients verify their record: entries with salts and proofs, page by page.
import { refuseParameter } from '#core/errors.ts';
import { type LedgerEntry, type LedgerRecord, RECORD_FORMAT } from '#core/ledger/record-file.ts';
import { TiledTree } from '#core/ledger/tree.ts';
import type { Sql } from '#database/database.ts';
import { readHead, tilesOf } from '#repositories/ledger/ledger.ts';
import {
  readClientCalls,
  readSubject,
  readSubjectSteps,
  type SubjectEntry,
} from '#repositories/ledger/subject-entries.ts';
import { readArchivedEntries } from '#repositories/record-archive/archived-entries.ts';
import type { ArchivedMonth } from '#repositories/record-archive/archived-months.ts';
import { saltOf } from './append.ts';

export interface RecordPage extends LedgerRecord {
  /** Size of the log under which the proofs are, as in the first page's checkpoint. */
  size: number;
  /** Ids of calls and steps that are not in the log: recent ones, and those written by a release without the ledger. */
  waiting: string[];
  /** Proof that the log begins with the one of the requested size; null without one, or where it was never so large. */
  consistency: string[] | null;
  /** Cursor of the next page; null after the last. */
  next: string | null;
}

/** Each entry may be in a bundle of its own, whose 256 entries are hashed for its proof. */
const PAGE_ENTRIES = 200;

/** Size of the log and number of the subject's entries at the checkpoint of all pages. */
export interface Under {
  size: number;
  count: number;
}

export interface PageQuery {
  /** The end of the previous page. */
  after: readonly [at: string, requestId: string] | null;
  /** From the first page; null: this is the first. */
  under: Under | null;
  /** Size of the log when the reader last saw it. */
  seen?: number | null;
  size?: number;
}

/**
 * A page of a subject's record, newest first. The first page also has the steps of grants. Proofs of later pages are
 * under the first page's checkpoint too. Null while the log is empty.
 */
export async function readRecordPage(sql: Sql, subject: string, query: PageQuery): Promise<RecordPage | null> {
  const { after, seen = null, size = PAGE_ENTRIES } = query;
  // The count is read first: entries appended meanwhile are beyond it, and left for the next time.
  const known = await readSubject(sql, subject);
  const head = await readHead(sql);
  if (head?.checkpoint == null) return null;
  const under = query.under ?? { size: head.size, count: known?.entries ?? 0 };
  if (under.size > head.size) refuseParameter('size', 'The log has fewer entries than that.');
  const calls = subject.startsWith('usr_') ? await readClientCalls(sql, subject, { size, after }) : [];
  const steps = after === null ? await readSubjectSteps(sql, subject) : [];
  const tree = new TiledTree(under.size, tilesOf(sql));
  const entries: LedgerEntry[] = [];
  const waiting: string[] = [];
  for (const entry of [...steps, ...calls]) {
    const { place } = entry;
    if (place === null || place.index >= under.size || place.number > under.count) waiting.push(entry.id);
    else entries.push(await proven(entry, place, known?.secret ?? null, tree));
  }
  const last = calls.at(-1);
  return {
    ...{ format: RECORD_FORMAT, subject, checkpoint: head.checkpoint, size: under.size, count: under.count },
    ...{ entries, waiting },
    consistency: seen === null || seen > under.size ? null : (await tree.consistency(seen)).map(base64),
    next: last !== undefined && calls.length === size ? `${last.at} ${last.id}` : null,
  };
}

/** The client's calls in an archived month, newest first. */
export async function* proveArchived(
  sql: Sql,
  clientId: string,
  { directory, month, under }: { directory: string; month: ArchivedMonth; under: Under },
): AsyncGenerator<LedgerEntry[]> {
  const secret = (await readSubject(sql, clientId))?.secret ?? null;
  const tree = new TiledTree(under.size, tilesOf(sql));
  for await (const calls of readArchivedEntries(sql, directory, month, clientId)) {
    const entries: LedgerEntry[] = [];
    for (const call of calls)
      if (call.place !== null && call.place.index < under.size && call.place.number <= under.count)
        entries.push(await proven(call, call.place, secret, tree));
    yield entries;
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');

async function proven(
  { text }: SubjectEntry,
  { number, index }: { number: number; index: number },
  secret: Buffer | null,
  tree: TiledTree,
): Promise<LedgerEntry> {
  const proof = (await tree.inclusion(index)).map(base64);
  const salt = secret === null ? '' : saltOf(secret, number).toString('base64');
  return { number, index, salt, text, proof };
}

/** The position in the `next` of the previous page. */
export const readCursor = (next: string): [string, string] => next.split(' ') as [string, string];
