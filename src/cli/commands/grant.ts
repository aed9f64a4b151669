// Command line: `portico grant …`: acts in place of the client.
import type { Command } from 'commander';
import type { AssetFilter } from '#core/asset-filter.ts';
import type { ScopeSet } from '#core/scopes.ts';
import { requireClientExists, requireFirmExists } from '#repositories/existence.ts';
import { type Grant, grantTermsJson, listGrants } from '#repositories/grants/grant-queries.ts';
import { changeGrant, ensureRevoked, grantWithoutRequest } from '#repositories/grants/grants.ts';
import { requireKey } from '#repositories/keys/key-queries.ts';
import { filterOption, scopesOption, writeScopes } from '../grant-options.ts';
import { type CommandHost, print, UsageError } from '../host.ts';
import { operator } from '../operator.ts';
import { expiresOption, NEVER, parseExpiryOrNever } from '../options.ts';
import { revoking, withDatabase } from '../session.ts';
import { facts, table } from '../table.ts';

export function registerGrant(host: CommandHost): void {
  const grant = host.program.command('grant').description("clients' consent to keys");
  registerCreate(grant, host);
  registerUpdate(grant, host);
  registerList(grant, host);
  registerRevoke(grant, host);
}

interface CreateOptions {
  key: string;
  client: string;
  scopes: ScopeSet;
  filter: AssetFilter;
  expires?: string;
}

function registerCreate(grant: Command, { config, json }: CommandHost): void {
  grant
    .command('create')
    .description('give a key access to a client, without asking the client')
    .requiredOption('--key <id>', 'the key')
    .requiredOption('--client <id>', 'the client')
    .addOption(scopesOption().makeOptionMandatory())
    .addOption(filterOption().default({ type: 'all' }, '{"type":"all"}'))
    .addOption(expiresOption())
    .action(({ key, client, scopes, filter, expires }: CreateOptions) =>
      withDatabase(config(), async (database) => {
        const wanted = { keyId: key, clientId: client, scopes, filter, expiresAt: expires ?? null };
        const created = await grantWithoutRequest(database, wanted, operator());
        print(json(), grantJson(created), facts(`Created grant ${created.id}.`, grantFacts(created)));
      }),
    );
}

interface UpdateOptions {
  scopes?: ScopeSet;
  filter?: AssetFilter;
  expires?: string;
}

function registerUpdate(grant: Command, { config, json }: CommandHost): void {
  grant
    .command('update <id>')
    .description('change the scopes, filter or expiry of an active grant')
    .addOption(scopesOption())
    .addOption(filterOption())
    .option('--expires <time>', `as in create; ${NEVER}: until revoked`, parseExpiryOrNever)
    .action((id: string, { scopes, filter, expires }: UpdateOptions) => {
      if (scopes === undefined && filter === undefined && expires === undefined)
        throw new UsageError('nothing to update: give --scopes, --filter or --expires');
      return withDatabase(config(), async (database) => {
        const changes = { scopes, filter, expiresAt: expires === NEVER ? null : expires };
        const changed = await changeGrant(database, id, changes, operator());
        print(json(), grantJson(changed), facts(`Updated grant ${id}.`, grantFacts(changed)));
      });
    });
}

interface ListOptions {
  firm?: string;
  client?: string;
  key?: string;
}

function registerList(grant: Command, { config, json }: CommandHost): void {
  grant
    .command('list')
    .description('all grants, newest first')
    .option('--firm <id>', "only to this firm's keys")
    .option('--client <id>', "only this client's")
    .option('--key <id>', 'only to this key')
    .action(({ firm, client, key }: ListOptions) =>
      withDatabase(config(), async (database) => {
        if (firm !== undefined) await requireFirmExists(database, firm);
        if (client !== undefined) await requireClientExists(database, client);
        if (key !== undefined) await requireKey(database, key);
        const grants = await listGrants(database, { firmId: firm, clientId: client, keyId: key });
        print(json(), grants.map(grantJson), grantTable(grants));
      }),
    );
}

function registerRevoke(command: Command, { config, json }: CommandHost): void {
  command
    .command('revoke <id>')
    .description('revoke a grant permanently, with immediate effect')
    .action((id: string) =>
      revoking(config(), async (database) => {
        const revoked = await ensureRevoked(database, id, operator());
        print(json(), grantJson(revoked), `Grant ${id} is revoked since ${revoked.endedAt}.`);
      }),
    );
}

const grantJson = (grant: Grant) => ({
  id: grant.id,
  key_id: grant.keyId,
  firm_id: grant.firmId,
  client_id: grant.clientId,
  ...grantTermsJson(grant),
  updated_at: grant.updatedAt,
});

const grantFacts = ({ keyId, clientId, scopes, filter, expiresAt }: Grant) => ({
  key: keyId,
  client: clientId,
  scopes: writeScopes(scopes),
  filter: JSON.stringify(filter),
  expires: expiresAt ?? 'never',
});

function grantTable(grants: Grant[]): string {
  const headings = ['ID', 'KEY', 'CLIENT', 'STATUS', 'SCOPES', 'FILTER', 'EXPIRES'];
  const rows = grants.map((grant) => [
    ...[grant.id, grant.keyId, grant.clientId ?? grant.addressee, grant.status, writeScopes(grant.scopes)],
    ...[grant.filter.type, grant.expiresAt],
  ]);
  return table(headings, rows, 'There are no grants.');
}
