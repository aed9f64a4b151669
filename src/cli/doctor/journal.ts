// Doctor: whether the database may be served, and whether the revocation journal would vouch for it after a restore.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database } from '#database/database.ts';
import { type JournalContent, readJournal } from '#database/revocation-journal.ts';
import { readPlace } from '#repositories/restores.ts';
import { listRevocations, unknownRevocations } from '#repositories/revocations.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const CHECK = 'journal';
const RESTORE = 'see: npm run -s portico -- restore';

export async function examineJournal(database: Database, path: string | undefined): Promise<Finding[]> {
  const place = await readPlace(database);
  const findings: Finding[] = [];
  if (place.present !== place.confirmed)
    findings.push(
      path === undefined
        ? wrong(
            'database.place',
            'the database was restored, moved or promoted, and nobody has vouched for it',
            RESTORE,
          )
        : warning(
            'database.place',
            'the database was restored, moved or promoted',
            `the next serve asks the journal, or ${RESTORE}`,
          ),
    );
  else findings.push(ok('database.place', 'where it was confirmed'));
  if (path === undefined) return findings;
  const content = await readJournal(path).catch((error: NodeJS.ErrnoException) => error);
  if (content instanceof Error) return [...findings, await unreadable(path, content)];
  return [...findings, ...(await compare(database, place.deploymentId, path, content))];
}

async function unreadable(path: string, error: NodeJS.ErrnoException): Promise<Finding> {
  const unwritable = await access(dirname(path), constants.W_OK).then(
    () => null,
    (reason: Error) => reason,
  );
  if (error.code === 'ENOENT' && unwritable === null)
    return warning(
      CHECK,
      `${path} is not there yet`,
      'nothing, where nothing was served with it so far; else bring it back',
    );
  return wrong(
    CHECK,
    `${path}: ${(unwritable ?? error).message}`,
    'revocations are answered 503 until it can be written',
  );
}

async function compare(
  database: Database,
  deploymentId: string,
  path: string,
  content: JournalContent,
): Promise<Finding[]> {
  if (content.deploymentId !== null && content.deploymentId !== deploymentId)
    return [wrong(CHECK, `${path} is the journal of another deployment`, 'set REVOCATION_JOURNAL to this one’s file')];
  const findings: Finding[] = [];
  if (content.unreadable > 0)
    findings.push(
      wrong(
        CHECK,
        `${content.unreadable} line(s) of ${path} cannot be read: it vouches for no restored database`,
        'keep a copy, take the damaged lines out, and find out what damaged them',
      ),
    );
  const lacking = await unknownRevocations(database, content.revocations);
  if (lacking.length > 0)
    findings.push(
      wrong(
        CHECK,
        `the database lacks ${lacking.length} revocation(s) of ${path}`,
        `the next serve does them again, or ${RESTORE}`,
      ),
    );
  const known = new Set(content.revocations.map(({ id }) => id));
  const untold = (await listRevocations(database, { after: 0 })).filter(({ id }) => !known.has(id));
  if (untold.length > 0)
    findings.push(
      warning(
        CHECK,
        `${path} lacks ${untold.length} revocation(s) that the database has`,
        'a gateway that serves with it adds them within seconds',
      ),
    );
  if (findings.length > 0) return findings;
  return [ok(CHECK, `${path} and the database know the same revocations`)];
}
