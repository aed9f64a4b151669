// Gateway: whether each record is in the log as it was appended.
import { LRUCache } from 'lru-cache';
import { getOrInsert } from '#core/get-or-insert.ts';
import { digestOf, NOBODY, NOBODYS_TEXT } from '#core/ledger/entry-text.ts';
import { TILE_WIDTH } from '#core/ledger/tree.ts';
import type { Sql } from '#database/database.ts';
import { commitmentsIn, readBundle } from '#repositories/ledger/ledger.ts';
import { type AnyEntry, readAllCalls, readAllSteps, readSubjects } from '#repositories/ledger/subject-entries.ts';
import { readArchivedEntries } from '#repositories/record-archive/archived-entries.ts';
import type { ArchivedMonth } from '#repositories/record-archive/archived-months.ts';
import { commit, saltOf } from './append.ts';
import { Bits } from './bits.ts';

/** Maximum number of bundles cached while records of their entries may follow. */
const MAX_BUNDLES = 4_096;

type Opened = Pick<AnyEntry, 'subject' | 'text'>;
type Place = NonNullable<AnyEntry['place']>;

/** All such entries are alike. */
const NOBODYS: Opened = { subject: NOBODY, text: NOBODYS_TEXT };

/** Whether an entry is in the log, with its number and its recorded text. */
type EntryIn = (entry: Opened, place: Place) => Promise<boolean>;

/** `entry`: a record differs from what was appended. `unlogged`: it was never appended. */
type ReportRecord = (kind: 'entry' | 'unlogged', text: string) => void;

export class RecordAudit {
  /** Leaves whose records exist. */
  readonly found = new Bits();
  /** Records as appended, records not appended yet, and calls written by a release without the ledger. */
  readonly counts = { proven: 0, waiting: 0, earlier: 0 };
  readonly #sql: Sql;
  readonly #report: ReportRecord;
  readonly #checkerOf: (page: readonly Opened[]) => Promise<EntryIn>;
  /** Records waiting to be appended, by name. */
  readonly #pending: ReadonlySet<string>;

  constructor(sql: Sql, pending: ReadonlySet<string>, report: ReportRecord) {
    this.#sql = sql;
    this.#pending = pending;
    this.#report = report;
    this.#checkerOf = entryCheckers(sql);
  }

  async steps(): Promise<void> {
    for (const source of ['grant_events', 'key_events'] as const)
      for await (const page of readAllSteps(this.#sql, source)) {
        const entryIn = await this.#checkerOf(page);
        const kind = source === 'grant_events' ? 'consent step' : 'key step';
        for (const step of page) await this.#look(entryIn, step, `${source} ${step.id}`, kind);
      }
  }

  async calls(): Promise<void> {
    for await (const page of readAllCalls(this.#sql)) {
      const entryIn = await this.#checkerOf(page);
      for (const call of page) await this.#lookAtCall(entryIn, call);
    }
  }

  /**
   * To be called after the calls of the database were checked. `inDatabase`: the database has a partition of that month
   * too. Throws an ArchiveFault where a file is missing or damaged.
   */
  async archivedCalls(directory: string, month: ArchivedMonth, inDatabase: boolean): Promise<void> {
    for await (const page of readArchivedEntries(this.#sql, directory, month)) {
      const entryIn = await this.#checkerOf(page);
      for (const call of page) {
        const { place } = call;
        // Late calls, and those of a month about to be dropped, may be in the database too.
        const isToo = inDatabase && place !== null && this.found.has(place.index) && (await entryIn(call, place));
        if (!isToo) await this.#lookAtCall(entryIn, call);
      }
    }
  }

  /** Returns a check whether an entry is that of a call that named no existing client. */
  async nobodys(): Promise<(place: Place) => Promise<boolean>> {
    const entryIn = await this.#checkerOf([NOBODYS]);
    return (place) => entryIn(NOBODYS, place);
  }

  async #lookAtCall(entryIn: EntryIn, call: AnyEntry): Promise<void> {
    if (call.batch === 0) this.counts.earlier += 1;
    else await this.#look(entryIn, call, `calls ${call.batch}`, 'call');
  }

  async #look(entryIn: EntryIn, entry: AnyEntry, name: string, kind: string): Promise<void> {
    const { id, at, place } = entry;
    if (place === null) {
      if (this.#pending.has(name)) this.counts.waiting += 1;
      else this.#report('unlogged', `The ${kind} ${id} of ${at} is not in the log.`);
    } else if (await entryIn(entry, place)) {
      this.counts.proven += 1;
      if (this.found.add(place.index)) this.#report('entry', `Two records are entry ${place.index} of the log.`);
    } else this.#report('entry', `The ${kind} ${id} of ${at} differs from what was appended to the log.`);
  }
}

/** Makes the checks for a page of entries. Their subjects are read at once, and dropped with the page. */
function entryCheckers(sql: Sql): (page: readonly Opened[]) => Promise<EntryIn> {
  const bundles = new LRUCache<number, Promise<Buffer[]>>({ max: MAX_BUNDLES });
  const bundle = (index: number) => getOrInsert(bundles, index, () => readBundle(sql, index).then(commitmentsIn));
  return async (page) => {
    const subjects = await readSubjects(sql, [...new Set(page.map(({ subject }) => subject))]);
    return async ({ subject, text }, { number, index }) => {
      const known = subjects.get(subject);
      if (known === undefined || number > known.entries) return false;
      const appended = (await bundle(Math.floor(index / TILE_WIDTH)))[index % TILE_WIDTH];
      return appended?.equals(commit(saltOf(known.secret, number), number, digestOf(text))) === true;
    };
  };
}
