// Gateway: compares all that is recorded with the ledger, and the ledger with itself and with checkpoints that were seen before.
import { digestOf, NOBODY, NOBODYS_TEXT } from '#core/ledger/entry-text.ts';
import { TILE_WIDTH } from '#core/ledger/tree.ts';
import type { Database, Sql } from '#database/database.ts';
import { listMonths } from '#repositories/access-record/partitions.ts';
import { commitmentsIn, namesOfPending, readBundle, readHead } from '#repositories/ledger/ledger.ts';
import { type AnyEntry, readAllCalls, readAllSteps, readSubjects } from '#repositories/ledger/subject-entries.ts';
import { readArchivedEntries } from '#repositories/record-archive/archived-entries.ts';
import { type ArchivedMonth, listArchivedMonths } from '#repositories/record-archive/archived-months.ts';
import { ArchiveFault } from '#repositories/record-archive/manifest.ts';
import { commit, saltOf } from './append.ts';
import { unfound } from './audit-gaps.ts';
import { rewriteFault, treeFaults } from './audit-tree.ts';
import { Bits } from './bits.ts';

export interface Fault {
  /**
   * `tree`: the log is not what its checkpoint says. `entry`: a record differs from what was appended. `missing`: what was appended is
   * not recorded any more. `unlogged`: a record was never appended. `rewritten`: the log does not begin with the one seen before.
   */
  kind: 'tree' | 'entry' | 'missing' | 'unlogged' | 'rewritten';
  text: string;
}

export interface Audit {
  size: number;
  /** The newest checkpoint, to be kept and compared with the next time; null where nothing was appended. */
  checkpoint: string | null;
  /** Calls and steps that are as they were appended. */
  proven: number;
  /** Recorded a moment ago, and not appended yet. */
  waiting: number;
  /** Calls written by a release without the ledger. */
  earlier: number;
  /** Entries whose months are kept no longer, and those that were erased. */
  dropped: number;
  erased: number;
  /** Entries of calls that named nobody who exists, of which nothing else is recorded. */
  nobodys: number;
  /** Months in the archive that were not looked at, because nobody said where it is; their entries are among those dropped. */
  unread: string[];
  /** The first hundred. */
  faults: Fault[];
}

export interface AuditOptions {
  /** Checkpoints that were seen before. */
  seen?: readonly string[];
  /** Calls before this instant may be gone; null: none may. */
  keptSince?: Date | null;
  /** Directory of the archive; null: months that are there count as kept no longer. */
  archive?: string | null;
}

const MAX_FAULTS = 100;

/** As of one moment. */
export function auditLedger(database: Database, options: AuditOptions = {}): Promise<Audit> {
  return database.transaction(
    async (sql) => {
      await sql.query({ text: 'set transaction isolation level repeatable read' });
      return audit(sql, options);
    },
    { unhurried: true },
  );
}

async function audit(sql: Sql, { seen = [], keptSince = null, archive = null }: AuditOptions): Promise<Audit> {
  const faults: Fault[] = [];
  const report = (kind: Fault['kind'], text: string) => {
    if (faults.length < MAX_FAULTS) faults.push({ kind, text });
  };
  // The key of the first checkpoint is made before it; here nothing may be written.
  const head = await readHead(sql);
  for (const text of await treeFaults(sql, head)) report('tree', text);
  for (const note of seen) {
    const fault = await rewriteFault(sql, head, note);
    if (fault !== null) report('rewritten', fault);
  }
  const found = new Bits();
  const counts = { proven: 0, waiting: 0, earlier: 0 };
  const checkerOf = entryCheckers(sql);
  const pending = await namesOfPending(sql);
  const look = async (entryIn: EntryIn, entry: AnyEntry, name: string, kind: string) => {
    if (entry.place === null) {
      if (pending.has(name)) counts.waiting += 1;
      else report('unlogged', `The ${kind} ${entry.id} of ${entry.at} is not in the log.`);
    } else if (await entryIn(entry, entry.place)) {
      counts.proven += 1;
      if (found.add(entry.place.index)) report('entry', `Two records are entry ${entry.place.index} of the log.`);
    } else report('entry', `The ${kind} ${entry.id} of ${entry.at} is not what was appended to the log.`);
  };
  for (const source of ['grant_events', 'key_events'] as const)
    for await (const page of readAllSteps(sql, source)) {
      const entryIn = await checkerOf(page);
      for (const step of page)
        await look(entryIn, step, `${source} ${step.id}`, source === 'grant_events' ? 'consent step' : 'key step');
    }
  for await (const page of readAllCalls(sql)) {
    const entryIn = await checkerOf(page);
    for (const call of page) {
      if (call.batch === 0) counts.earlier += 1;
      else await look(entryIn, call, `calls ${call.batch}`, 'call');
    }
  }
  const months = await listArchivedMonths(sql, archive).catch((error: unknown) => {
    report('missing', faultText(error));
    return [];
  });
  const besides = new Set((await listMonths(sql)).map(({ name }) => name));
  if (archive !== null)
    for (const month of months)
      try {
        for await (const page of readArchivedEntries(sql, archive, month)) {
          const entryIn = await checkerOf(page);
          for (const call of page) {
            const { place } = call;
            // Calls that came late, or a month that is about to be dropped: the database may have them, too.
            const isToo =
              besides.has(month.name) && place !== null && found.has(place.index) && (await entryIn(call, place));
            if (call.batch === 0) counts.earlier += 1;
            else if (!isToo) await look(entryIn, call, `calls ${call.batch}`, 'call');
          }
        }
      } catch (error) {
        report('missing', faultText(error));
      }
  const since = archive === null ? keptSince : earlier(keptSince, months);
  const nobodysIn = await checkerOf([NOBODYS]);
  const size = head?.size ?? 0;
  const isNobodys = (place: Place) => nobodysIn(NOBODYS, place);
  const gaps = await unfound(sql, size, found, since, isNobodys, (text) => report('missing', text));
  const unread = archive === null ? months.map(({ name }) => name) : [];
  return { size, checkpoint: head?.checkpoint ?? null, ...counts, ...gaps, unread, faults };
}

/** From the first month that is in the archive on, all has to be there: but for what was appended within its first day. */
function earlier(keptSince: Date | null, [first]: readonly ArchivedMonth[]): Date | null {
  if (keptSince === null || first === undefined) return keptSince;
  return new Date(Math.min(keptSince.getTime(), Date.parse(first.from)));
}

/** Anything else than a fault of the archive is thrown again. */
function faultText(error: unknown): string {
  if (error instanceof ArchiveFault) return `${error.message}.`;
  throw error;
}

type Opened = Pick<AnyEntry, 'subject' | 'text'>;
type Place = NonNullable<AnyEntry['place']>;

/** All of them are alike. */
const NOBODYS: Opened = { subject: NOBODY, text: NOBODYS_TEXT };

/** Whether an entry is in the log, with its number and as it is recorded. */
type EntryIn = (entry: Opened, place: Place) => Promise<boolean>;

/** For the entries of a page: their subjects are read at once, and forgotten with the page. */
function entryCheckers(sql: Sql): (page: readonly Opened[]) => Promise<EntryIn> {
  const kept = new Map<number, Buffer[]>();
  const bundle = async (index: number): Promise<Buffer[]> => {
    const there = kept.get(index);
    if (there !== undefined) return there;
    const read = commitmentsIn(await readBundle(sql, index));
    const [oldest] = kept.keys();
    if (kept.size >= MAX_BUNDLES && oldest !== undefined) kept.delete(oldest);
    kept.set(index, read);
    return read;
  };
  return async (page) => {
    const subjects = await readSubjects(sql, [...new Set(page.map(({ subject }) => subject))]);
    return async ({ subject, text }, { number, index }) => {
      const known = subjects.get(subject);
      if (known?.secret == null || number > known.entries) return false;
      const appended = (await bundle(Math.floor(index / TILE_WIDTH)))[index % TILE_WIDTH];
      return appended?.equals(commit(saltOf(known.secret, number), number, digestOf(text))) === true;
    };
  };
}

const MAX_BUNDLES = 4_096;
