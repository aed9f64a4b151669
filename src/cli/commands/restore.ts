// Command line: `portico restore`.
import type { Database } from '#database/database.ts';
import { readJournal } from '#database/revocation-journal.ts';
import { repeatForgotten } from '#gateway/restore/servable.ts';
import { listPlantTokens, listServiceTokens } from '#repositories/admission/tokens.ts';
import { listGrants } from '#repositories/grants/grant-queries.ts';
import { listKeys } from '#repositories/keys/key-queries.ts';
import { confirmPlace, endEverySession, listActiveSessions, readPlace } from '#repositories/restores.ts';
import { isCut } from '#repositories/revocations.ts';
import { CommandFailure, type CommandHost, print, UsageError } from '../host.ts';
import { withDatabase } from '../session.ts';
import { table } from '../table.ts';

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
    .option('--confirm', 'end all sessions of the portal and let the database be served; look at the list first')
    .action(({ journal, confirm }: RestoreOptions) => {
      if (journal !== undefined && confirm) throw new UsageError('give --journal or --confirm, not both');
      return withDatabase(config(), async (database) => {
        if (journal !== undefined)
          return applyJournals(database, journal, { json: json(), portalUrl: config().portalUrl ?? null });
        if (confirm) return confirmRestore(database, json());
        return showActive(database, json());
      });
    });
}

async function applyJournals(
  database: Database,
  files: string[],
  { json, portalUrl }: { json: boolean; portalUrl: string | null },
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
  print(json, { applied, confirmed: true }, `${done} The database may be served.`);
}

async function readNamed(file: string, deploymentId: string) {
  const content = await readJournal(file).catch((error: Error) => {
    throw new CommandFailure(`the revocation journal cannot be read: ${error.message}`);
  });
  if (content.deploymentId === deploymentId) return content;
  const whose = content.deploymentId === null ? 'names no deployment' : "is another deployment's";
  throw new CommandFailure(`the revocation journal ${file} ${whose}`);
}

async function confirmRestore(database: Database, json: boolean): Promise<void> {
  const ended = await database.transaction(async (sql) => {
    const sessions = await endEverySession(sql);
    await confirmPlace(sql);
    return sessions;
  });
  const value = { ended_sessions: ended, confirmed: true };
  print(json, value, `The database may be served. ${ended} session(s) of the portal have ended.`);
}

async function showActive(database: Database, json: boolean): Promise<void> {
  const active = <Row extends { status: string }>(rows: Row[]) => rows.filter(({ status }) => status === 'active');
  const { present, confirmed } = await readPlace(database);
  const [keys, grants, serviceTokens, plantTokens, sessions] = [
    active(await listKeys(database)),
    active(await listGrants(database, {})),
    active(await listServiceTokens(database)),
    active(await listPlantTokens(database)),
    await listActiveSessions(database),
  ];
  const value = {
    confirmed: present === confirmed,
    keys: keys.map((key) => ({ id: key.id, firm_id: key.firmId, name: key.name, last_used_at: key.lastUsedAt })),
    grants: grants.map((grant) => ({ id: grant.id, key_id: grant.keyId, client_id: grant.clientId })),
    service_tokens: serviceTokens.map(({ id, role }) => ({ id, role })),
    plant_tokens: plantTokens.map(({ id, accountId }) => ({ id, account: accountId })),
    sessions: sessions.map(({ id, email, createdAt }) => ({ id, email, created_at: createdAt })),
  };
  const lists = Object.entries(value).flatMap(([name, rows]) => {
    if (!Array.isArray(rows)) return [];
    const columns = Object.keys(rows[0] ?? {});
    const cells = (rows as Record<string, string | null>[]).map((row) => columns.map((column) => row[column] ?? null));
    const headings = columns.map((column) => column.toUpperCase());
    const title = `\nActive ${name.replace('_', ' ')}: ${rows.length}`;
    return rows.length === 0 ? [title] : [title, table(headings, cells, '')];
  });
  const state = value.confirmed
    ? 'The database is the one that was last confirmed.'
    : 'The database was restored, moved or promoted. No gateway serves it until you run restore --journal or restore --confirm.';
  print(json, value, [state, ...lists].join('\n'));
}
