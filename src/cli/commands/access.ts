// Command line: `portico access …`: who read what of a client.
import { Refusal } from '#core/errors.ts';
import { scopesOf } from '#core/scopes.ts';
import { type AccessRecord, listAccessRecords } from '#repositories/access-record/records.ts';
import { findUser } from '#repositories/users.ts';
import { type CommandHost, print } from '../host.ts';
import { parseCount, parseInstant } from '../options.ts';
import { withDatabase } from '../session.ts';
import { table } from '../table.ts';

interface ListOptions {
  client: string;
  since?: string;
  limit: number;
}

export function registerAccess({ program, config, json }: CommandHost): void {
  const access = program.command('access').description('the access record');
  access
    .command('list')
    .description('every call that named a client, and every read of a tool as a key, newest first')
    .requiredOption('--client <id>', 'the client')
    .option('--since <time>', 'from this RFC 3339 timestamp on', parseInstant)
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .action(({ client, since, limit }: ListOptions) =>
      withDatabase(config(), async (database) => {
        const user = await findUser(database, client);
        if (user?.role !== 'client') {
          throw new Refusal('resource_not_found', { message: `There is no client ${client}.` });
        }
        const records = await listAccessRecords(database, { clientId: client, since, limit });
        print(json(), records.map(recordJson), recordTable(records));
      }),
    );
}

const recordJson = (record: AccessRecord) => ({
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
});

function recordTable(records: AccessRecord[]): string {
  const headings = ['AT', 'STATUS', 'ENDPOINT', 'REGISTRY ID', 'FIRM', 'KEY', 'REQUEST', 'TOOL'];
  const rows = records.map(({ at, status, endpoint, registryId, firmId, keyId, requestId, toolRole, toolId }) => [
    ...[at, status, endpoint, registryId, firmId, keyId, requestId],
    toolId === null ? null : `${toolRole} ${toolId}`,
  ]);
  return table(headings, rows, 'There are no records.');
}
