// Command line: `portico service-token …`.
import { makeToken } from '#auth/key-format.ts';
import { SERVICE_ROLES, type ServiceRole } from '#core/principal.ts';
import {
  createServiceToken,
  listServiceTokens,
  revokeServiceToken,
  type ServiceToken,
} from '#data/repositories/tokens.ts';
import type { CommandHost } from '../index.ts';
import { choice, expiresOption, required } from '../options.ts';
import { print, withDatabase } from '../session.ts';
import { facts, table } from '../table.ts';

export function registerServiceToken({ program, config, json }: CommandHost): void {
  const token = program.command('service-token').description('tokens of internal tools');
  token
    .command('create')
    .description('make a token; it is printed once')
    .addOption(required(choice('--role <role>', 'what the tool may do', SERVICE_ROLES)))
    .addOption(expiresOption())
    .action(({ role, expires }: { role: ServiceRole; expires?: string }) =>
      withDatabase(config(), async (database) => {
        const { text, hash } = makeToken('service');
        const created = await createServiceToken(database, { role, expiresAt: expires ?? null, hash });
        const headline = `Created service token ${created.id}. It is shown this once; only its hash is kept.`;
        const shown = { token: text, role, expires: created.expiresAt ?? 'never' };
        print(json(), { ...tokenJson(created), token: text }, facts(headline, shown));
      }),
    );
  token
    .command('list')
    .description('all tokens, oldest first')
    .action(() =>
      withDatabase(config(), async (database) => {
        const tokens = await listServiceTokens(database);
        const rows = tokens.map(({ id, role, status, createdAt, expiresAt }) => [
          id,
          role,
          status,
          createdAt,
          expiresAt,
        ]);
        const headings = ['ID', 'ROLE', 'STATUS', 'CREATED', 'EXPIRES'];
        print(json(), tokens.map(tokenJson), table(headings, rows, 'There are no service tokens.'));
      }),
    );
  token
    .command('revoke <id>')
    .description('end a token for good, at once')
    .action((id: string) =>
      withDatabase(config(), async (database) => {
        const revoked = await revokeServiceToken(database, id);
        print(json(), tokenJson(revoked), `Service token ${id} is revoked since ${revoked.revokedAt}.`);
      }),
    );
}

const tokenJson = ({ id, role, status, createdAt, expiresAt, revokedAt }: ServiceToken) => ({
  id,
  role,
  status,
  created_at: createdAt,
  expires_at: expiresAt,
  revoked_at: revokedAt,
});
