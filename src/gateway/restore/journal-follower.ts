// Gateway: completes the revocation journal with revocations by other processes and by manual SQL.
import { DAY_MS } from '#core/timestamps.ts';
import type { Sql } from '#database/database.ts';
import type { RevocationJournal } from '#database/revocation-journal.ts';
import { readPlace } from '#repositories/restores.ts';
import { listRevocations } from '#repositories/revocations.ts';

/** A number without a row: an open or aborted transaction, or a deleted row. Up to this many are looked up again. */
const MAX_MISSING = 10_000;
const MISSING_MS = DAY_MS;

export class JournalFollower {
  readonly #sql: Sql;
  readonly #journal: RevocationJournal;
  /** Of the lines read last, those whose row was not listed yet: it may have been committed just after. */
  #ahead = new Set<string>();
  /** The file that was at the journal's path at the last look; null before the first. */
  #file: { file: string; size: number } | null = null;
  /** How much of it has been read, in bytes. */
  #read = 0;
  /** The newest row seen. */
  #seq = 0;
  /** Earlier numbers without a row, with the time when that was first noticed; oldest first. */
  readonly #missing = new Map<number, number>();

  constructor(sql: Sql, journal: RevocationJournal) {
    this.#sql = sql;
    this.#journal = journal;
  }

  /** Adds what the file lacks. `wentBack`: the database has lost rows, so it was set back in time. */
  async follow(): Promise<{ wentBack: boolean }> {
    // Only reading needs the file, and fails without it.
    const found = await this.#journal.identity().catch(() => null);
    // Another file, or a shorter one, may lack lines that were written before. It is completed from its beginning.
    const last = this.#file;
    const isReplaced = found !== null && last !== null && (found.file !== last.file || found.size < last.size);
    if (isReplaced) {
      this.#read = 0;
      this.#ahead = new Set();
      await this.#nameDeployment();
    }
    const from = isReplaced ? 0 : this.#seq;
    const rows = await listRevocations(this.#sql, { from, missing: [...this.#missing.keys()] });
    const newest = rows.at(-1)?.seq ?? 0;
    const wentBack = newest < this.#seq;
    const fresh = rows.filter(({ seq }) => seq > from || this.#missing.has(seq));
    if (fresh.length > 0) {
      // Other processes write to the file as well.
      const { ids, end } = await this.#journal.idsFrom(this.#read);
      const written = new Set(ids);
      await this.#journal.append(fresh.filter(({ id }) => !written.delete(id) && !this.#ahead.has(id)));
      this.#ahead = written;
      this.#read = end;
    }
    if (wentBack) this.#missing.clear();
    else this.#noteMissing(fresh.map(({ seq }) => seq));
    this.#seq = newest;
    this.#file = found ?? this.#file;
    return { wentBack };
  }

  /** Without the line that names its deployment, a journal confirms nothing. An unconfirmed database names none. */
  async #nameDeployment(): Promise<void> {
    const { deploymentId, present, confirmed } = await readPlace(this.#sql);
    if (present === confirmed) await this.#journal.begin(deploymentId);
  }

  #noteMissing(present: readonly number[]): void {
    const now = performance.now();
    for (const [seq, since] of this.#missing) if (now - since > MISSING_MS) this.#missing.delete(seq);
    let last = this.#seq;
    for (const seq of present) {
      this.#missing.delete(seq);
      for (let gap = Math.max(last + 1, seq - MAX_MISSING); gap < seq; gap++) this.#missing.set(gap, now);
      last = Math.max(last, seq);
      for (const [oldest] of this.#missing)
        if (this.#missing.size > MAX_MISSING) this.#missing.delete(oldest);
        else break;
    }
  }
}
