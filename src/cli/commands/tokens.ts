// Command line: `portico plant-token …` and `portico service-token …`.
import { Option } from 'commander';
import { makeToken } from '#auth/key-format.ts';
import { SERVICE_ROLES, type TokenKind } from '#core/principal.ts';
import { createToken, listTokens, revokeToken, type Token } from '#repositories/admission/tokens.ts';
import { type CommandHost, print } from '../host.ts';
import { choice, expiresOption, parseAccount } from '../options.ts';
import { revoking, withDatabase } from '../session.ts';
import { facts, table } from '../table.ts';

/** The name of a token's holder in options and output. */
type HolderName = 'account' | 'role';

const KINDS = {
  plant: {
    holder: 'account',
    description: 'access tokens of the plant store',
    creation: 'create a token; it is printed only once. The first token creates the account',
    option: () => new Option('--account <name>', 'account whose plants it gives access to').argParser(parseAccount),
  },
  service: {
    holder: 'role',
    description: 'tokens of internal tools',
    creation: 'create a token; it is printed only once',
    option: () => choice('--role <role>', 'what the tool may do', SERVICE_ROLES),
  },
} as const;

export const registerPlantToken = (host: CommandHost): void => register(host, 'plant');
export const registerServiceToken = (host: CommandHost): void => register(host, 'service');

function register({ program, config, json }: CommandHost, kind: TokenKind): void {
  const { description, creation, option, holder: holderName } = KINDS[kind];
  const toJson = ({ id, holder, status, createdAt, expiresAt, revokedAt }: Token<TokenKind>) => ({
    ...{ id, [holderName]: holder, status },
    ...{ created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt },
  });
  const command = program.command(`${kind}-token`).description(description);
  command
    .command('create')
    .description(creation)
    .addOption(option().makeOptionMandatory())
    .addOption(expiresOption())
    .action(({ expires, ...options }: Record<HolderName, string> & { expires?: string }) =>
      withDatabase(config(), async (database) => {
        const { text, hash } = makeToken(kind);
        const created = await createToken<TokenKind>(database, kind, {
          holder: options[holderName],
          hash,
          expiresAt: expires ?? null,
        });
        const headline = `Created ${kind} token ${created.id}. It is shown only now; only its hash is stored.`;
        const shown = { token: text, [holderName]: created.holder, expires: created.expiresAt ?? 'never' };
        print(json(), { ...toJson(created), token: text }, facts(headline, shown));
      }),
    );
  command
    .command('list')
    .description('all tokens, oldest first')
    .action(() =>
      withDatabase(config(), async (database) => {
        const tokens = await listTokens(database, kind);
        const rows = tokens.map((one) => [one.id, one.holder, one.status, one.createdAt, one.expiresAt]);
        const headings = ['ID', holderName.toUpperCase(), 'STATUS', 'CREATED', 'EXPIRES'];
        print(json(), tokens.map(toJson), table(headings, rows, `There are no ${kind} tokens.`));
      }),
    );
  command
    .command('revoke <id>')
    .description('revoke a token permanently, with immediate effect')
    .action((id: string) =>
      revoking(config(), async (database) => {
        const revoked = await revokeToken(database, kind, id);
        const name = kind === 'plant' ? 'Plant token' : 'Service token';
        print(json(), toJson(revoked), `${name} ${id} is revoked since ${revoked.revokedAt}.`);
      }),
    );
}
