// Command line: `portico restore`.
import type { Database } from '#database/database.ts';
import { readJournal } from '#database/revocation-journal.ts';
import { repeatForgotten } from '#gateway/restore/servable.ts';
import { withdrawEveryInvitation } from '#repositories/firms/withdrawn-invitations.ts';
import { confirmPlace, endEverySession, listAccess, readPlace } from '#repositories/restores.ts';
import { isCut } from '#repositories/revocations.ts';
import { asFailure, CommandFailure, type CommandHost, print, UsageError } from '../host.ts';
import { operator } from '../operator.ts';
import { databaseOf, requireDatabase, withDatabase } from '../session.ts';
import { type Cell, table } from '../table.ts';

interface RestoreOptions {
  journal?: string[];
  confirm?: true;
}

export function registerRestore({ program, config, json }: CommandHost): void {
  program
    .command('restore')
    .description(
      'after a restore, a move or a promotion: list what gives access, and confirm that the database may be served',
    )
    .option('--journal <file...>', 'repeat the revocations of these journals, then let the database be served')
    .option(
      '--confirm',
      'end all sessions, void all links and invitations, and let the database be served; look at the list first',
    )
    .action(async ({ journal, confirm }: RestoreOptions) => {
      if (journal !== undefined && confirm) throw new UsageError('give --journal or --confirm, not both');
      const settings = config();
      await requireDatabase(settings);
      const about = { json: json(), name: databaseOf(settings), portalUrl: settings.portalUrl ?? null };
      return withDatabase(settings, async (database) => {
        if (journal !== undefined) return applyJournals(database, journal, about);
        if (confirm) return confirmRestore(database, about);
        return showActive(database, about);
      });
    });
}

interface About {
  json: boolean;
  /** The database's name. */
  name: string;
}

async function applyJournals(
  database: Database,
  files: string[],
  { json, name, portalUrl }: About & { portalUrl: string | null },
): Promise<void> {
  const { deploymentId } = await readPlace(database);
  const contents = await Promise.all(files.map((file) => readNamed(file, deploymentId)));
  const damaged = files.filter((_, index) => (contents[index]?.unreadable ?? 0) > 0);
  const revocations = contents.flatMap((content) => content.revocations);
  const { applied, fault } = await database.transaction(async (sql) => {
    const fault =
      damaged.length > 0
        ? `${damaged.join(', ')} has lines that cannot be read`
        : (await isCut(sql, revocations))
          ? `${files.join(', ')} ${files.length === 1 ? 'lacks' : 'lack'} revocations that the database knows`
          : null;
    const count = await repeatForgotten(sql, revocations, portalUrl);
    if (fault === null) await confirmPlace(sql);
    return { applied: count, fault };
  });
  const done = `${applied} revocation(s) are in force again.`;
  if (fault !== null) throw new CommandFailure(`${done} ${fault}; look at what is active, then: restore --confirm`);
  print(json, { applied, confirmed: true }, `${done} It may be served: ${name}`);
}

async function readNamed(file: string, deploymentId: string) {
  const content = await readJournal(file).catch(asFailure('the revocation journal cannot be read'));
  if (content.deploymentId === deploymentId) return content;
  const whose = content.deploymentId === null ? 'names no deployment' : "is another deployment's";
  throw new CommandFailure(`the revocation journal ${file} ${whose}`);
}

async function confirmRestore(database: Database, { json, name }: About): Promise<void> {
  const { sessions, invitations } = await database.transaction(async (sql) => {
    const ended = { invitations: await withdrawEveryInvitation(sql, operator()), sessions: await endEverySession(sql) };
    await confirmPlace(sql);
    return ended;
  });
  print(
    json,
    { ended_sessions: sessions, withdrawn_invitations: invitations, confirmed: true },
    `It may be served: ${name}\n${sessions} session(s) of the portal have ended, and ${invitations} invitation(s) were withdrawn.`,
  );
}

async function showActive(database: Database, { json, name }: About): Promise<void> {
  const { present, confirmed } = await readPlace(database);
  const access = await listAccess(database);
  const lists = Object.entries(access).flatMap(([kind, rows]) => {
    const columns = Object.keys(rows[0] ?? {});
    const cell = (value: Cell | string[]) => (Array.isArray(value) ? value.join(', ') || null : value);
    const cells = rows.map((row) => columns.map((column) => cell(row[column] ?? null)));
    const headings = columns.map((column) => column.toUpperCase());
    const title = `\nActive ${kind.replace('_', ' ')}: ${rows.length}`;
    return rows.length === 0 ? [title] : [title, table(headings, cells, '')];
  });
  const isConfirmed = present === confirmed;
  const state = isConfirmed
    ? 'It is the one that was last confirmed.'
    : 'It was restored, moved or promoted. No gateway serves it until you run restore --journal or restore --confirm.';
  print(json, { confirmed: isConfirmed, ...access }, [`This is ${name}.`, state, ...lists].join('\n'));
}
