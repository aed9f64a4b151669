// Gateway: whether a database may be served: it is where somebody vouched for it, and has forgotten no revocation.
import type { Database, Sql } from '#database/database.ts';
import type { JournalContent } from '#database/revocation-journal.ts';
import { confirmPlace, readPlace } from '#repositories/restores.ts';
import { repeatRevocations, unknownRevocations } from '#repositories/revocations.ts';

/** The database was restored, moved or promoted, and nobody has vouched for it since. */
export class UnconfirmedDatabase extends Error {
  constructor(reason: string) {
    super(`this database was restored, moved or promoted, and may hold active what was revoked since: ${reason}`);
    this.name = 'UnconfirmedDatabase';
  }
}

/**
 * Resolves with the place of a database that may be served. Where there is a revocation journal, it vouches: what the database
 * lacks of it is done again first, so a standby that has lost nothing is let through as it is. Throws UnconfirmedDatabase.
 */
export async function requireServable(database: Database): Promise<{ place: string; repeated: number }> {
  const { deploymentId, present, confirmed } = await readPlace(database);
  const isConfirmed = present === confirmed;
  if (database.journal === null) {
    if (isConfirmed) return { place: present, repeated: 0 };
    throw new UnconfirmedDatabase('there is no REVOCATION_JOURNAL');
  }
  const content = await database.journal.read();
  const vouches = content.deploymentId === deploymentId && content.unreadable === 0;
  if (!isConfirmed && !vouches) throw new UnconfirmedDatabase(`${database.journal.path} does not vouch for it`);
  const repeated = await database.transaction(async (sql) => {
    const forgotten = await repeatForgotten(sql, content);
    const now = await readPlace(sql);
    if (forgotten > 0 || now.present !== now.confirmed) await confirmPlace(sql);
    return forgotten;
  });
  return { place: present, repeated };
}

/** Does again what the database has forgotten, and returns how many these were. Of several at once, in transactions, one does it. */
export async function repeatForgotten(sql: Sql, { revocations }: JournalContent): Promise<number> {
  await sql.query({ text: 'select from deployment for update' });
  const forgotten = await unknownRevocations(sql, revocations);
  await repeatRevocations(sql, forgotten);
  return forgotten.length;
}
