// Command line: `portico access …`: who read which data of a client, and the months in which the record is stored.
import type { Command } from 'commander';
import type { Database } from '#database/database.ts';
import { newestCheckpoint } from '#gateway/ledger/ledger.ts';
import { callsJson, type ReportedCall, unpackedNumbers } from '#repositories/access-record/call-json.ts';
import { contentsOf } from '#repositories/access-record/item-calls.ts';
import { daysAhead, listMonths } from '#repositories/access-record/partitions.ts';
import { applyRetention } from '#repositories/access-record/retention.ts';
import { requireClientExists } from '#repositories/existence.ts';
import { verifyMonth } from '#repositories/record-archive/archive-month.ts';
import { listCallsAbout } from '#repositories/record-archive/archived-calls.ts';
import {
  type ArchivedMonth,
  listArchivedMonths,
  requireManifest,
} from '#repositories/record-archive/archived-months.ts';
import { faultIn } from '#repositories/record-archive/manifest.ts';
import { openMonth } from '#repositories/record-archive/verified-file.ts';
import { CommandFailure, type CommandHost, note, print, UsageError } from '../host.ts';
import { parseCount, parseInstant, parseRegistryId } from '../options.ts';
import { withDatabase } from '../session.ts';
import { table } from '../table.ts';

interface ListOptions {
  client: string;
  item?: string;
  since?: string;
  until?: string;
  limit: number;
}

export function registerAccess(host: CommandHost): void {
  const { program, config, json } = host;
  const access = program.command('access').description('the access record');
  registerMaintain(access, host);
  registerMonths(access, host);
  access
    .command('list')
    .description('every call that named a client, and every read of a tool as a key, newest first')
    .requiredOption('--client <id>', 'the client')
    .option('--item <registry id>', 'only calls that named this item or whose answers carried it', parseRegistryId)
    .option('--since <time>', 'from this RFC 3339 timestamp on', parseInstant)
    .option('--until <time>', 'before this RFC 3339 timestamp', parseInstant)
    .option('--limit <count>', 'at most so many, the newest', parseCount, 100)
    .addHelpText(
      'after',
      `
With --item, calls whose contents are "totals" (sums over everything that a grant covered) or "unrecorded" (made before
items were recorded, or with a removed item without a number) are listed too if a grant covered the item then. With
--json, the first call contains the ledger's newest checkpoint, which "ledger verify --seen" accepts.

Months that are in the archive (RECORD_ARCHIVE) are read there. Where a file of it that may have calls is missing or damaged, nothing
is printed, and the exit code is 1.`,
    )
    .action(({ client, item, since, until, limit }: ListOptions) => {
      if (since !== undefined && until !== undefined && since >= until)
        throw new UsageError('--since is not before --until');
      return withDatabase(config(), async (database) => {
        await requireClientExists(database, client);
        const query = { since: since ?? null, until: until ?? null, registryId: item ?? null, limit };
        const directory = config().recordArchive ?? null;
        const records = await listCallsAbout(database, directory, { clientId: client, ...query });
        const newest = await newestCheckpoint(database);
        const calls = await callsJson(database, records);
        print(
          json(),
          calls.map((call, at) => ({ ...call, checkpoint: at === 0 ? newest : null })),
          recordTable(records),
        );
        // Finding out would require a look into the archive, which may be elsewhere.
        if (records.length === limit)
          note(`The newest ${limit}: there may be older ones; raise --limit or set --until.`);
      });
    });
}

function registerMaintain(access: Command, { config, json }: CommandHost): void {
  access
    .command('maintain')
    .description('create the coming months of the record, and archive and drop those past their retention')
    .addHelpText(
      'after',
      `
Gateways do the same every ten minutes, where their role may create tables. How long calls are kept is set by
ACCESS_RECORD_DAYS and REFUSED_CALLS_DAYS, and where the clients' record goes then by RECORD_ARCHIVE and RECORD_ARCHIVE_DAYS.
Nobody who writes or reads waits for it.`,
    )
    .action(() =>
      withDatabase(config(), async (database) => {
        const result = await applyRetention(database, config());
        if (result === null) throw new CommandFailure('another process is doing this now; try again later');
        const months = await listMonths(database);
        const days = await daysAhead(database);
        const spans = months.map(({ name, from, until }) => ({ name, from, until }));
        const report = { ...result, months: spans, days_ahead: days };
        const isNew = (name: string) => (result.added.includes(name) ? 'new' : '');
        const rows = months.map(({ name, from, until }) => [name, from, until, isNew(name)]);
        const changes = [
          ...result.dropped.map((name) => (result.archived.includes(name) ? `archived ${name}` : `dropped ${name}`)),
          ...result.removed.map((name) => `removed ${name} from the archive`),
          ...result.left.map((name) => `left ${name}: the record has an archive, but RECORD_ARCHIVE is not set here`),
        ];
        if (changes.length + result.added.length === 0) changes.push('Nothing was to be done.');
        const lines = changes.map((line) => `${line}\n`).join('');
        print(json(), report, lines + table(['PARTITION', 'FROM', 'UNTIL', ''], rows, 'There are no partitions.'));
      }),
    );
}

function registerMonths(access: Command, { config, json }: CommandHost): void {
  access
    .command('months')
    .option('--check', 'read every file of the archive, and fail where one is missing or damaged')
    .description('where each month of the record is: in the database, in the archive, or removed')
    .action(({ check = false }: { check?: boolean }) =>
      withDatabase(config(), async (database) => {
        const months = await monthsOf(database, config().recordArchive ?? null, check);
        const rows = months.map((month) => {
          const { name, from, until, where, file, rows: calls, bytes, fault } = month;
          return [name, from, until, where, file, calls, bytes, fault];
        });
        const headings = ['MONTH', 'FROM', 'UNTIL', 'WHERE', 'FILE', 'CALLS', 'BYTES', 'FAULT'];
        print(json(), months, table(headings, rows, 'There are no months.'));
        const faults = months.flatMap(({ fault }) => (fault === null ? [] : [fault]));
        if (faults.length > 0) throw new CommandFailure(faults.join('\n'));
      }),
    );
}

/** Months of the clients' record, oldest first. Archived files are examined: with `check` they are read completely. */
async function monthsOf(database: Database, directory: string | null, check: boolean) {
  const archived = await listArchivedMonths(database, directory);
  const partitions = (await listMonths(database)).filter(({ table: of }) => of === 'access_calls');
  const none = { file: null, rows: null, bytes: null, sha256: null, fault: null };
  const own = partitions.map(({ name, from, until }) => ({ name, from, until, where: 'database', ...none }));
  const filed = [];
  for (const month of archived) {
    const { name, from, until, manifest } = month;
    const { file, rows, bytes, sha256 } = manifest ?? none;
    const fault = (await faultIn(() => inspectMonth(month, directory, check)))?.message ?? null;
    filed.push({ name, from, until, where: 'archive', file, rows, bytes, sha256, fault });
  }
  return [...filed, ...own].sort((one, other) => (one.from < other.from ? -1 : 1));
}

async function inspectMonth(month: ArchivedMonth, directory: string | null, check: boolean): Promise<void> {
  const manifest = requireManifest(month, directory);
  if (check) await verifyMonth(directory ?? '', manifest);
  else await (await openMonth(directory ?? '', manifest))[Symbol.asyncDispose]();
}

function recordTable(records: ReportedCall[]): string {
  const headings = ['AT', 'STATUS', 'ENDPOINT', 'REGISTRY ID', 'CARRIED', 'FIRM', 'KEY', 'REQUEST', 'TOOL'];
  const rows = records.map((record) => {
    const { at, status, endpoint, registryId, firmId, keyId, requestId, toolRole, toolId } = record;
    const tool = toolId === null ? null : `${toolRole} ${toolId}`;
    return [at, status, endpoint, registryId, carriedText(record), firmId, keyId, requestId, tool];
  });
  return table(headings, rows, 'There are no records.');
}

function carriedText(record: ReportedCall): string {
  const contents = contentsOf(record);
  if (contents !== 'items') return contents;
  const [carried, removed] = [unpackedNumbers(record.items).length, unpackedNumbers(record.removed).length];
  return [...(carried > 0 ? [`${carried} items`] : []), ...(removed > 0 ? [`${removed} removed`] : [])].join(', ');
}
