// Doctor: whether the revocation journal is readable and could confirm the database after a restore.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database } from '#database/database.ts';
import { type JournalContent, readJournal } from '#database/revocation-journal.ts';
import { listRevocations, unknownRevocations } from '#repositories/revocations.ts';
import { examining, type Finding, RESTORE, warning, wrong } from './finding.ts';

const CHECK = 'journal';

export async function examineJournal(database: Database, deploymentId: string, path: string): Promise<Finding[]> {
  const content = await readJournal(path).catch((error: NodeJS.ErrnoException) => error);
  return content instanceof Error ? [await unreadable(path, content)] : compare(database, deploymentId, path, content);
}

async function unreadable(path: string, error: NodeJS.ErrnoException): Promise<Finding> {
  const unwritable = await access(dirname(path), constants.W_OK).then(
    () => null,
    (reason: Error) => reason,
  );
  if (error.code === 'ENOENT' && unwritable === null)
    return warning(
      CHECK,
      `${path} does not exist`,
      'if a gateway has run with it before, bring it back; otherwise the first gateway creates it',
    );
  return wrong(
    CHECK,
    `${path}: ${(unwritable ?? error).message}`,
    'make it readable and writable: until then revocations are answered 503',
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
  const report = examining(CHECK);
  if (content.deploymentId === null && content.revocations.length > 0)
    report.warning(
      `${path} has lost the line that names its deployment: a restored database cannot be confirmed from it`,
      'make sure that it is this deployment’s file: a gateway that starts with it adds the line',
    );
  if (content.unreadable > 0)
    report.wrong(
      `${content.unreadable} line(s) of ${path} cannot be read: a restored database cannot be confirmed from it`,
      'keep a copy, remove the damaged lines, and find out what damaged them',
    );
  const lacking = await unknownRevocations(database, content.revocations);
  if (lacking.length > 0)
    report.wrong(
      `the database lacks ${lacking.length} revocation(s) of ${path}`,
      `the next serve repeats them, or ${RESTORE}`,
    );
  const known = new Set(content.revocations.map(({ id }) => id));
  const unrecorded = (await listRevocations(database, { from: 0 })).filter(({ id }) => !known.has(id));
  if (unrecorded.length > 0)
    report.warning(
      `${path} lacks ${unrecorded.length} revocation(s) that the database has`,
      'a running gateway with this journal adds them within seconds',
    );
  return report.orOk(`${path} and the database have the same revocations`);
}
