// Command line: `portico service-token …`.
import { makeToken } from '#auth/key-format.ts';
import { SERVICE_ROLES, type ServiceRole } from '#core/principal.ts';
import {
  createServiceToken,
  listServiceTokens,
  revokeServiceToken,
  type ServiceToken,
} from '#repositories/admission/tokens.ts';
import type { CommandHost } from '../host.ts';
import { choice, expiresOption } from '../options.ts';
import { withDatabase } from '../session.ts';
import { addListAndRevoke, printCreated, type TokenKind } from '../token-commands.ts';

const KIND: TokenKind<ServiceToken> = {
  name: 'service token',
  holder: 'role',
  holderOf: ({ role }) => role,
  list: listServiceTokens,
  revoke: revokeServiceToken,
};

export function registerServiceToken(host: CommandHost): void {
  const token = host.program.command('service-token').description('tokens of internal tools');
  token
    .command('create')
    .description('create a token; it is printed only once')
    .addOption(choice('--role <role>', 'what the tool may do', SERVICE_ROLES).makeOptionMandatory())
    .addOption(expiresOption())
    .action(({ role, expires }: { role: ServiceRole; expires?: string }) =>
      withDatabase(host.config(), async (database) => {
        const { text, hash } = makeToken('service');
        const created = await createServiceToken(database, { role, expiresAt: expires ?? null, hash });
        printCreated(KIND, host.json(), created, text);
      }),
    );
  addListAndRevoke(token, KIND, host);
}
