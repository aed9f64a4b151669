// Gateway: keeps the revocation journal complete: with what other processes and operations themselves took away.
import type { Sql } from '#database/database.ts';
import type { RevocationJournal } from '#database/revocation-journal.ts';
import { listRevocations } from '#repositories/revocations.ts';

export class JournalFollower {
  readonly #sql: Sql;
  readonly #journal: RevocationJournal;
  /** Ids of the rows that were listed last: the newest are listed again each time, and are in the file. */
  #listed = new Set<string>();
  /** Of the lines that were read last, those whose row was not listed yet: it may have been committed just after. */
  #ahead = new Set<string>();
  /** How much of the file has been read, in bytes. */
  #read = 0;
  /** The newest row seen. */
  #seq = 0;

  constructor(sql: Sql, journal: RevocationJournal) {
    this.#sql = sql;
    this.#journal = journal;
  }

  /** Adds what the file does not have yet. Says whether the database knows less than it did: then it went back in time. */
  async follow(): Promise<{ wentBack: boolean }> {
    const rows = await listRevocations(this.#sql, { after: this.#seq });
    const fresh = rows.filter(({ id }) => !this.#listed.has(id));
    if (fresh.length > 0) {
      // Other processes write to the file as well.
      const { ids, end } = await this.#journal.idsFrom(this.#read);
      const written = new Set(ids);
      await this.#journal.append(fresh.filter(({ id }) => !written.delete(id) && !this.#ahead.has(id)));
      this.#ahead = written;
      this.#read = end;
    }
    this.#listed = new Set(rows.map(({ id }) => id));
    const newest = rows.at(-1)?.seq ?? 0;
    const wentBack = newest < this.#seq;
    this.#seq = newest;
    return { wentBack };
  }
}
