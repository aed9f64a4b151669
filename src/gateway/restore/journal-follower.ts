// Gateway: keeps the revocation journal complete: with what other processes and operations themselves took away.
import type { Sql } from '#database/database.ts';
import type { RevocationJournal } from '#database/revocation-journal.ts';
import { listRevocations } from '#repositories/revocations.ts';

/** A number without a row is of a transaction that is open or was rolled back, or the row was deleted: so many are looked for again. */
const MAX_MISSING = 10_000;
const MISSING_MS = 86_400_000;

export class JournalFollower {
  readonly #sql: Sql;
  readonly #journal: RevocationJournal;
  /** Of the lines that were read last, those whose row was not listed yet: it may have been committed just after. */
  #ahead = new Set<string>();
  /** How much of the file has been read, in bytes. */
  #read = 0;
  /** The newest row seen. */
  #seq = 0;
  /** Earlier ones that were not there, with when that was first noticed; oldest first. */
  readonly #missing = new Map<number, number>();

  constructor(sql: Sql, journal: RevocationJournal) {
    this.#sql = sql;
    this.#journal = journal;
  }

  /** Adds what the file does not have yet. Says whether the database knows less than it did: then it went back in time. */
  async follow(): Promise<{ wentBack: boolean }> {
    const rows = await listRevocations(this.#sql, { from: this.#seq, missing: [...this.#missing.keys()] });
    const newest = rows.at(-1)?.seq ?? 0;
    const wentBack = newest < this.#seq;
    const fresh = rows.filter(({ seq }) => seq > this.#seq || this.#missing.has(seq));
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
    return { wentBack };
  }

  #noteMissing(seen: readonly number[]): void {
    const now = performance.now();
    for (const [seq, since] of this.#missing) if (now - since > MISSING_MS) this.#missing.delete(seq);
    let last = this.#seq;
    for (const seq of seen) {
      this.#missing.delete(seq);
      for (let gap = Math.max(last + 1, seq - MAX_MISSING); gap < seq; gap++) this.#missing.set(gap, now);
      last = Math.max(last, seq);
      for (const [oldest] of this.#missing)
        if (this.#missing.size > MAX_MISSING) this.#missing.delete(oldest);
        else break;
    }
  }
}
