// Command line: `portico plant-token …`.
import { makeToken } from '#auth/key-format.ts';
import { createPlantToken, listPlantTokens, type PlantToken, revokePlantToken } from '#data/repositories/tokens.ts';
import type { CommandHost } from '../index.ts';
import { expiresOption } from '../options.ts';
import { print, withDatabase } from '../session.ts';
import { facts, table } from '../table.ts';

export function registerPlantToken({ program, config, json }: CommandHost): void {
  const token = program.command('plant-token').description('access tokens of the plant store');
  token
    .command('create')
    .description('make a token; it is printed once, and the account comes into being with its first')
    .requiredOption('--account <name>', 'whose plants it opens')
    .addOption(expiresOption())
    .action(({ account, expires }: { account: string; expires?: string }) =>
      withDatabase(config(), async (database) => {
        const { text, hash } = makeToken('plant');
        const created = await createPlantToken(database, { accountId: account, expiresAt: expires ?? null, hash });
        const headline = `Created plant token ${created.id}. It is shown this once; only its hash is kept.`;
        const shown = { token: text, account, expires: created.expiresAt ?? 'never' };
        print(json(), { ...tokenJson(created), token: text }, facts(headline, shown));
      }),
    );
  token
    .command('list')
    .description('all tokens, oldest first')
    .action(() =>
      withDatabase(config(), async (database) => {
        const tokens = await listPlantTokens(database);
        const rows = tokens.map(({ id, accountId, status, createdAt, expiresAt }) => [
          ...[id, accountId, status, createdAt, expiresAt],
        ]);
        const headings = ['ID', 'ACCOUNT', 'STATUS', 'CREATED', 'EXPIRES'];
        print(json(), tokens.map(tokenJson), table(headings, rows, 'There are no plant tokens.'));
      }),
    );
  token
    .command('revoke <id>')
    .description('end a token for good, at once')
    .action((id: string) =>
      withDatabase(config(), async (database) => {
        const revoked = await revokePlantToken(database, id);
        print(json(), tokenJson(revoked), `Plant token ${id} is revoked since ${revoked.revokedAt}.`);
      }),
    );
}

const tokenJson = ({ id, accountId, status, createdAt, expiresAt, revokedAt }: PlantToken) => ({
  id,
  account: accountId,
  status,
  created_at: createdAt,
  expires_at: expiresAt,
  revoked_at: revokedAt,
});
