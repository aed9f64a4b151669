// Gateway: keeps the revocation journal complete: with what other processes and operations themselves took away.
import type { Sql } from '#database/database.ts';
import type { Revocation, RevocationJournal } from '#database/revocation-journal.ts';
import { listRevocations } from '#repositories/revocations.ts';

export class JournalFollower {
  readonly #sql: Sql;
  readonly #journal: RevocationJournal;
  readonly #written = new Set<string>();
  /** The newest row seen. */
  #seq = 0;

  constructor(sql: Sql, journal: RevocationJournal) {
    this.#sql = sql;
    this.#journal = journal;
  }

  /** Adds what the file does not have yet. Says whether the database knows less than it did: then it went back in time. */
  async follow(): Promise<{ wentBack: boolean }> {
    const rows = await listRevocations(this.#sql, { after: this.#seq });
    const lacks = (one: Revocation) => !this.#written.has(one.id);
    // Other processes write to the file as well.
    if (rows.some(lacks)) for (const { id } of (await this.#journal.read()).revocations) this.#written.add(id);
    const missing = rows.filter(lacks);
    await this.#journal.append(missing);
    for (const { id } of missing) this.#written.add(id);
    const newest = rows.at(-1)?.seq ?? 0;
    const wentBack = newest < this.#seq;
    this.#seq = newest;
    return { wentBack };
  }
}
