// Command line: `portico access …`: who read what of a client.
import { includesOf, unpackNumbers } from '#core/disclosure.ts';
import { Refusal } from '#core/errors.ts';
import { scopesOf } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import { contentsOf } from '#repositories/access-record/item-calls.ts';
import { itemsByNumber } from '#repositories/access-record/item-names.ts';
import { type AccessEntry, listAccess } from '#repositories/access-record/pages.ts';
import { findUser } from '#repositories/users.ts';
import { type CommandHost, print } from '../host.ts';
import { parseCount, parseInstant } from '../options.ts';
import { withDatabase } from '../session.ts';
import { table } from '../table.ts';

interface ListOptions {
  client: string;
  item?: string;
  since?: string;
  limit: number;
}

const ANY = { firmId: null, keyId: null, outcome: null, endpoint: null, requestId: null, until: null } as const;

export function registerAccess({ program, config, json }: CommandHost): void {
  const access = program.command('access').description('the access record');
  access
    .command('list')
    .description('every call that named a client, and every read of a tool as a key, newest first')
    .requiredOption('--client <id>', 'the client')
    .option('--item <registry id>', 'only calls that named this item or whose answers carried it')
    .option('--since <time>', 'from this RFC 3339 timestamp on', parseInstant)
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .addHelpText(
      'after',
      `
With --item, calls whose contents are "totals" (sums over everything that a grant covered) or "unrecorded" (made before
items were recorded) are told too, where a grant covered the item then.`,
    )
    .action(({ client, item, since, limit }: ListOptions) =>
      withDatabase(config(), async (database) => {
        const user = await findUser(database, client);
        if (user?.role !== 'client') {
          throw new Refusal('resource_not_found', { message: `There is no client ${client}.` });
        }
        const found = await listAccess(
          database,
          client,
          { ...ANY, since: since ?? null, registryId: item ?? null },
          { size: limit, after: null },
        );
        const records = found.slice(0, limit);
        const nameOf = await namesOf(database, records);
        print(
          json(),
          records.map((record) => recordJson(record, nameOf)),
          recordTable(records),
        );
      }),
    );
}

type NameOf = (number: number) => string;

/** Registry ids of all items that these calls carried. */
async function namesOf(sql: Sql, records: readonly AccessEntry[]): Promise<NameOf> {
  const numbers = records.flatMap(({ items, removed }) => [...numbersOf(items), ...numbersOf(removed)]);
  const items = await itemsByNumber(sql, [...new Set(numbers)].map(String));
  return (number) => {
    const item = items.get(String(number));
    if (item === undefined) throw new Error(`no item has or had the number ${number}`);
    return item.registryId;
  };
}

const numbersOf = (packed: Buffer | null): number[] => (packed === null ? [] : unpackNumbers(packed));

const recordJson = (record: AccessEntry, nameOf: NameOf) => ({
  at: record.at,
  firm_id: record.firmId,
  key_id: record.keyId,
  endpoint: record.endpoint,
  registry_id: record.registryId,
  scopes: scopesOf(record.scopes),
  status: record.status,
  request_id: record.requestId,
  tool_role: record.toolRole,
  tool_id: record.toolId,
  contents: contentsOf(record),
  items: record.items && numbersOf(record.items).map(nameOf),
  removed_items: numbersOf(record.removed).map(nameOf),
  disclosed_scopes: record.disclosed === null ? null : scopesOf(record.disclosed),
  includes: record.includes === null ? null : includesOf(record.includes),
  version: record.version,
});

function recordTable(records: AccessEntry[]): string {
  const headings = ['AT', 'STATUS', 'ENDPOINT', 'REGISTRY ID', 'CARRIED', 'FIRM', 'KEY', 'REQUEST', 'TOOL'];
  const rows = records.map((record) => {
    const { at, status, endpoint, registryId, firmId, keyId, requestId, toolRole, toolId } = record;
    const tool = toolId === null ? null : `${toolRole} ${toolId}`;
    return [at, status, endpoint, registryId, carriedText(record), firmId, keyId, requestId, tool];
  });
  return table(headings, rows, 'There are no records.');
}

function carriedText(record: AccessEntry): string {
  const contents = contentsOf(record);
  if (contents !== 'items') return contents;
  const [carried, removed] = [numbersOf(record.items).length, numbersOf(record.removed).length];
  return [...(carried > 0 ? [`${carried} items`] : []), ...(removed > 0 ? [`${removed} removed`] : [])].join(', ');
}
