// Doctor: whether the database may be served at its present place.
import type { Database } from '#database/database.ts';
import { readPlace } from '#repositories/restores.ts';
import { type Finding, ok, RESTORE, warning, wrong } from './finding.ts';

/** `journal` is the path of the revocation journal, if configured. */
export async function examinePlace(database: Database, journal: string | undefined): Promise<Finding[]> {
  const { deploymentId, present, confirmed } = await readPlace(database);
  const place = findPlace(present === confirmed, journal !== undefined);
  if (journal === undefined) return [place];
  // Imported here because many deployments have no journal.
  const { examineJournal } = await import('./journal.ts');
  return [place, ...(await examineJournal(database, deploymentId, journal))];
}

function findPlace(isConfirmed: boolean, hasJournal: boolean): Finding {
  const check = 'database.place';
  if (isConfirmed) return ok(check, 'the database is the one that was last confirmed');
  if (!hasJournal)
    return wrong(check, 'the database was restored, moved or promoted, and has not been confirmed', RESTORE);
  const found = 'the database was restored, moved or promoted';
  return warning(check, found, `the next serve confirms it from the journal, or ${RESTORE}`);
}
