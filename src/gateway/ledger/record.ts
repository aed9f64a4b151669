// Gateway: what clients check their record with: entries with salts and proofs under the newest checkpoint, page by page.
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
  /** Of the log under which the proofs are; the first page's checkpoint is of it. */
  size: number;
  /** Recorded a moment ago and not in the log yet, or by a release without it: request ids and ids of steps. */
  waiting: string[];
  /** That the log begins with the one of the size asked for; null where none was, or the log was never so large. */
  consistency: string[] | null;
  /** Where the next page begins; null after the last. */
  next: string | null;
}

/** Each may be in a bundle of its own, whose 256 entries are hashed for its proof. */
const PAGE_ENTRIES = 200;

/** The checkpoint that all pages are under: how large the log was then, and how many entries the subject had. */
export interface Under {
  size: number;
  count: number;
}

export interface PageQuery {
  /** The end of the page before. */
  after: readonly [at: string, requestId: string] | null;
  /** Of the first page; null: it is the first. */
  under: Under | null;
  /** How large the log was when it was last seen. */
  seen?: number | null;
  size?: number;
}

/**
 * A page of what is recorded of a subject, newest first; steps of grants come with the first. Proofs of later pages are under
 * the first page's checkpoint too. Null where nothing was ever appended to the ledger.
 */
export async function readRecordPage(sql: Sql, subject: string, query: PageQuery): Promise<RecordPage | null> {
  const { after, seen = null, size = PAGE_ENTRIES } = query;
  // The count first: what is appended meanwhile is beyond it, and is left for the next time.
  const known = await readSubject(sql, subject);
  const head = await readHead(sql);
  if (head?.checkpoint == null) return null;
  const under = query.under ?? { size: head.size, count: known?.entries ?? 0 };
  if (under.size > head.size) refuseParameter('size', 'The log was never so large.');
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

/** What the archive has of a client in a month, newest first. */
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

/** Where a page begins, of the `next` of the one before. */
export const readCursor = (next: string): [string, string] => next.split(' ') as [string, string];
