// Command line: `portico client hold|release|show|erase|certificate`: erasure of people, and legal holds.
import type { Command } from 'commander';
import type { Database } from '#database/database.ts';
import { certificateOf, verifyCertificate } from '#gateway/personal-data/certificate.ts';
import { eraseClient } from '#gateway/personal-data/erase.ts';
import { eraseUser } from '#gateway/personal-data/erase-user.ts';
import { countTraces, listHolders } from '#repositories/personal-data/client-traces.ts';
import { type Erasure, findErasure } from '#repositories/personal-data/erased-subjects.ts';
import { listHolds, placeHold, releaseHolds } from '#repositories/personal-data/legal-holds.ts';
import { listArchivedMonths } from '#repositories/record-archive/archived-months.ts';
import { findUser } from '#repositories/users.ts';
import type { Config } from '#src/config.ts';
import { publishedKeys, readText, writeText } from './files.ts';
import { asFailure, CommandFailure, type CommandHost, note, notFound, print, snakeCased, UsageError } from './host.ts';
import { operator } from './operator.ts';
import { parseFutureInstant, parseReason } from './options.ts';
import { withDatabase } from './session.ts';
import { facts, table } from './table.ts';

export const erasureSettings = (config: Config) => ({
  portalUrl: config.portalUrl ?? null,
  noticeDays: config.erasureNoticeDays,
});

export function registerHolds(client: Command, { config, json }: CommandHost): void {
  client
    .command('hold')
    .argument('<id>', 'the client, or another user')
    .description('put a client or user under a legal hold: while it is in force, they cannot be erased')
    .requiredOption('--reason <text>', 'why, for the record', parseReason)
    .option('--until <time>', 'RFC 3339 timestamp; absent: until it is released', parseFutureInstant)
    .action((id: string, { reason, until = null }: { reason: string; until?: string | null }) =>
      withDatabase(config(), async (database) => {
        await placeHold(database, id, { reason, endsAt: until }, operator());
        const message = `${id} is under a legal hold${until === null ? '' : ` until ${until}`}.`;
        print(json(), { id, held: true, ends_at: until }, facts(message, { reason }));
      }),
    );
  client
    .command('release')
    .argument('<id>', 'the client, or another user')
    .description('release the legal holds of a client or user')
    .action((id: string) =>
      withDatabase(config(), async (database) => {
        const released = await releaseHolds(database, id, operator());
        // Otherwise a mistyped id would look like a hold that was released.
        if (released === 0 && (await findUser(database, id)) === null) throw notFound(`user ${id}`);
        print(json(), { id, released }, `${released} legal hold(s) of ${id} have ended.`);
      }),
    );
}

export function registerShow(client: Command, { config, json }: CommandHost): void {
  client
    .command('show')
    .argument('<id>', 'the client')
    .description(
      'how much is stored about a client, who has or had access, legal holds, and whether the client was erased',
    )
    .action((id: string) =>
      withDatabase(config(), async (database) => {
        const { value, text } = await describeClient(database, id);
        print(json(), value, text);
      }),
    );
}

async function describeClient(database: Database, id: string): Promise<{ value: object; text: string }> {
  const erasure = await findErasure(database, id);
  if (erasure !== null) return { value: erasureJson(erasure), text: erasureText(erasure) };
  const user = await findUser(database, id);
  if (user?.role !== 'client') throw notFound(`client ${id}`);
  const counts = await countTraces(database, id);
  const holders = await listHolders(database, id);
  const holds = await listHolds(database, id);
  const archived = await listArchivedMonths(database, null);
  const value = {
    ...{ id, name: user.name, email: user.email, environment: user.environment, counts },
    archived_months: archived.map(({ from }) => from.slice(0, 7)),
    holders: holders.map(snakeCased),
    holds: holds.map(({ id: _, ...hold }) => snakeCased(hold)),
  };
  const rows = holders.map((one) => [one.firmName, one.keyName, one.lastReadAt, one.active ? 'active' : 'ended']);
  const holdLines = holds.map(
    ({ reason, placedBy, endsAt }) => `  ${reason} (${placedBy}, ends ${endsAt ?? 'when released'})`,
  );
  const text = [
    facts(`${id}: ${user.name}, ${user.email}, ${user.environment}`, counts),
    'Firms that have or had access, and may hold copies:',
    table(['FIRM', 'KEY', 'LAST READ', 'GRANT'], rows, '  none'),
    ...archived
      .slice(-1)
      .map(({ until }) => `Calls before ${until} that are in the archive and not counted; "access list" reads them.`),
    ...(holdLines.length === 0 ? ['No legal hold.'] : ['Legal holds:', ...holdLines]),
  ];
  return { value, text: text.join('\n') };
}

const erasureJson = ({ certificate, ...erasure }: Erasure) => ({
  ...snakeCased({ ...erasure, erased: true }),
  ...(certificate === null ? { certificate: null } : certificateOf(certificate)),
});

const erasureText = ({ id, erasedAt, reason, grantsEndAt, finishedAt }: Erasure): string =>
  facts(`${id} was erased at ${erasedAt}.`, {
    reason,
    ...(finishedAt === null ? { 'partners may learn of the removals until': grantsEndAt } : {}),
  });

interface EraseOptions {
  reason: string;
  confirm?: string;
  certificate?: string;
}

/** The action of an erase command. */
function eraseAction(
  { config, json }: CommandHost,
  erase: typeof eraseClient,
  describe: (database: Database, id: string) => Promise<{ value: object; text: string }>,
) {
  return (id: string, { reason, confirm, certificate }: EraseOptions): Promise<void> => {
    if (confirm !== undefined && confirm !== id) throw new UsageError('--confirm must be the same id again');
    return withDatabase(config(), async (database) => {
      if (confirm === undefined) {
        const { value, text } = await describe(database, id);
        const next = `\nNothing was erased. Repeat with --confirm ${id} to erase all of this.`;
        print(json(), { ...value, dry_run: true }, 'erased' in value ? text : `${text}${next}`);
        return;
      }
      const erasure = await erase(database, { id, reason, actor: operator() }, erasureSettings(config()));
      if (erasure.kind === 'client') await removeFromArchive(database, config().recordArchive ?? null);
      // Printed before the file is written, which may fail: the erasure is done.
      print(json(), erasureJson(erasure), erasureText(erasure));
      if (certificate !== undefined && erasure.certificate !== null)
        await writeText(certificate, `${JSON.stringify(certificateOf(erasure.certificate))}\n`).catch(
          (error: Error) => {
            throw new CommandFailure(
              `${error.message}; the certificate is stored: "client certificate ${id}" prints it`,
            );
          },
        );
    });
  };
}

/** The client is already erased in the database. A failure of the archive is reported, and gateways retry. */
async function removeFromArchive(database: Database, directory: string | null): Promise<void> {
  // Imported here because many deployments have no archive.
  const { eraseArchived } = await import('#repositories/record-archive/client-removal.ts');
  try {
    await eraseArchived({ database, directory });
  } catch (error) {
    note(
      `the archive may still contain the client; a gateway with RECORD_ARCHIVE removes them once the archive is complete: ${(error as Error).message}`,
    );
  }
}

const withErasure = (command: Command, who: string): Command =>
  command
    .argument('<id>', who)
    .requiredOption('--reason <text>', 'why, for the record; it must not name the person', parseReason)
    .option('--confirm <id>', 'the same id again; only then is anything erased')
    .option('--certificate <file>', 'where to write the signed certificate');

export function registerEraseUser(user: Command, host: CommandHost): void {
  withErasure(user.command('erase'), 'a member of a firm, or one of operations')
    .description('erase a portal user permanently; without --confirm, print what would be erased')
    .addHelpText('after', '\nWhat the person did stays on record under a pseudonym: docs/personal-data.md.')
    .action(eraseAction(host, eraseUser, describeUser));
}

async function describeUser(database: Database, id: string): Promise<{ value: object; text: string }> {
  const erasure = await findErasure(database, id);
  if (erasure !== null) return { value: erasureJson(erasure), text: erasureText(erasure) };
  const user = await findUser(database, id);
  if (user === null || user.role === 'client') throw notFound(`user of a firm or of operations ${id}`);
  const holds = (await listHolds(database, id)).map(({ reason }) => reason);
  const { name, email, role, firmId } = user;
  const text = facts(`${id}: ${name}, ${email}, ${role}`, { firm: firmId, 'legal holds': holds.join('; ') || 'none' });
  return { value: { id, name, email, role, firm_id: firmId, holds }, text };
}

export function registerErase(client: Command, host: CommandHost): void {
  withErasure(client.command('erase'), 'the client')
    .description('erase a client permanently; without --confirm, print what would be erased')
    .addHelpText(
      'after',
      `
What is left, and for how long, is in docs/personal-data.md. Partners learn of the removals by delta sync for
ERASURE_NOTICE_DAYS, then their grants end. Copies that firms hold are theirs to erase.`,
    )
    .action(eraseAction(host, eraseClient, describeClient));
}

export function registerCertificate(client: Command, { config, json }: CommandHost): void {
  client
    .command('certificate')
    .argument('<id|file>', 'id whose certificate to print, or file of a certificate to check')
    .option('--keys <file>', 'the published keys (/.well-known/jwks.json); absent: those in the database')
    .description('print the signed certificate of an erasure, or check one')
    .action(async (which: string, { keys }: { keys?: string }) => {
      if (which.startsWith('usr_')) return printCertificate(which, { config });
      const file = await readText(which);
      const found = await verifyCertificate(file, await publishedKeys({ config }, keys)).catch(asFailure(which));
      print(json(), found, facts(`The signature is valid.`, { subject: found.subject, 'erased at': found.erased_at }));
    });
}

const printCertificate = (id: string, { config }: Pick<CommandHost, 'config'>) =>
  withDatabase(config(), async (database) => {
    const erasure = await findErasure(database, id);
    if (erasure?.certificate == null) throw notFound(`certificate of an erasure of ${id}`);
    print(true, certificateOf(erasure.certificate), '');
  });
