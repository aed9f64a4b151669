// Command line: `portico plant-token …`.
import { makeToken } from '#auth/key-format.ts';
import {
  createPlantToken,
  listPlantTokens,
  type PlantToken,
  revokePlantToken,
} from '#repositories/admission/tokens.ts';
import type { CommandHost } from '../host.ts';
import { expiresOption, parseAccount } from '../options.ts';
import { withDatabase } from '../session.ts';
import { addListAndRevoke, printCreated, type TokenKind } from '../token-commands.ts';

const KIND: TokenKind<PlantToken> = {
  name: 'plant token',
  holder: 'account',
  holderOf: ({ accountId }) => accountId,
  list: listPlantTokens,
  revoke: revokePlantToken,
};

export function registerPlantToken(host: CommandHost): void {
  const token = host.program.command('plant-token').description('access tokens of the plant store');
  token
    .command('create')
    .description('create a token; it is printed only once. The first token creates the account')
    .requiredOption('--account <name>', 'account whose plants it gives access to', parseAccount)
    .addOption(expiresOption())
    .action(({ account, expires }: { account: string; expires?: string }) =>
      withDatabase(host.config(), async (database) => {
        const { text, hash } = makeToken('plant');
        const created = await createPlantToken(database, { accountId: account, expiresAt: expires ?? null, hash });
        printCreated(KIND, host.json(), created, text);
      }),
    );
  addListAndRevoke(token, KIND, host);
}
