// Gateway: whether a database may be served: it is at a confirmed place, and lacks no revocation and no erasure.
import type { Database, Sql } from '#database/database.ts';
import { requireTriggers } from '#database/migrate.ts';
import type { Revocation } from '#database/revocation-journal.ts';
import { lockImports } from '#repositories/import-lock.ts';
import { forgetSamplesInTransaction } from '#repositories/personal-data/client-traces.ts';
import { confirmPlace, lockDeployment, readPlace } from '#repositories/restores.ts';
import { ERASURES, isCut, repeatRevocations, unknownRevocations } from '#repositories/revocations.ts';
import { eraseAgain } from '../personal-data/erase.ts';

/** The database was restored, moved or promoted, and has not been confirmed since. */
export class UnconfirmedDatabase extends Error {
  constructor(reason: string) {
    super(`this database was restored, moved or promoted, and may hold active what was revoked since: ${reason}`);
    this.name = 'UnconfirmedDatabase';
  }
}

/**
 * Resolves with the place of a database that may be served. A complete revocation journal replaces the confirmation:
 * revocations that the database lacks are repeated first, so that a standby that has lost nothing is served at once.
 * Throws UnconfirmedDatabase.
 */
export async function requireServable(
  database: Database,
  portalUrl: string | null = null,
): Promise<{ place: string; repeated: number }> {
  const { deploymentId, present, confirmed } = await readPlace(database);
  const isConfirmed = present === confirmed;
  if (database.journal === null) {
    if (isConfirmed) return { place: present, repeated: 0 };
    throw new UnconfirmedDatabase('there is no REVOCATION_JOURNAL');
  }
  const content = await database.journal.read();
  const vouches = content.deploymentId === deploymentId && content.unreadable === 0;
  if (!isConfirmed && !vouches) throw new UnconfirmedDatabase(`${database.journal.path} does not vouch for it`);
  if (!isConfirmed && (await isCut(database, content.revocations)))
    throw new UnconfirmedDatabase(`${database.journal.path} lacks revocations that the database knows`);
  const repeated = await database.transaction(
    async (sql) => {
      const forgotten = await repeatForgotten(sql, content.revocations, portalUrl);
      const now = await readPlace(sql);
      if (forgotten > 0 || now.present !== now.confirmed) await confirmPlace(sql);
      return forgotten;
    },
    { noTimeout: true },
  );
  return { place: present, repeated };
}

/**
 * Repeats the revocations that the database lacks, and returns their number. Of several concurrent transactions, only
 * one repeats them. Throws PlainError where there is something to repeat and triggers are missing.
 */
export async function repeatForgotten(
  sql: Sql,
  revocations: readonly Revocation[],
  portalUrl: string | null = null,
): Promise<number> {
  await lockDeployment(sql);
  const forgotten = await unknownRevocations(sql, revocations);
  if (forgotten.length === 0) return 0;
  await requireTriggers(sql);
  // Locked first, as by erasures and imports, because they lock rows in another order than the journal has.
  await lockImports(sql);
  const [erasures, others] = [true, false].map((wanted) =>
    forgotten.filter(({ table_name }) => (table_name === ERASURES) === wanted),
  ) as [Revocation[], Revocation[]];
  // Erasures come first, because the other revocations delete what identifies the erased.
  await repeatRevocations(sql, erasures);
  for (const one of erasures) await eraseAgain(sql, one, portalUrl);
  if (erasures.length > 0) await forgetSamplesInTransaction(sql);
  await repeatRevocations(sql, others);
  return forgotten.length;
}
