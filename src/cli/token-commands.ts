// Command line: shared parts of the commands for both kinds of tokens: create, list and revoke.
import type { Command } from 'commander';
import type { Sql } from '#database/database.ts';
import type { PlantToken, ServiceToken } from '#repositories/admission/tokens.ts';
import { type CommandHost, print } from './host.ts';
import { revoking, withDatabase } from './session.ts';
import { facts, table } from './table.ts';

export interface TokenKind<Token extends PlantToken | ServiceToken> {
  /** Name in sentences, such as "plant token". */
  name: string;
  /** What a token opens or may do: the name in JSON, and the value. */
  holder: 'account' | 'role';
  holderOf(token: Token): string;
  list(sql: Sql): Promise<Token[]>;
  revoke(sql: Sql, id: string): Promise<Token>;
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function tokenJson<Token extends PlantToken | ServiceToken>(kind: TokenKind<Token>, token: Token) {
  const { id, status, createdAt, expiresAt, revokedAt } = token;
  const times = { created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt };
  return { id, [kind.holder]: kind.holderOf(token), status, ...times };
}

/** Prints a new token, whose text is not stored. */
export function printCreated<Token extends PlantToken | ServiceToken>(
  kind: TokenKind<Token>,
  json: boolean,
  created: Token,
  text: string,
): void {
  const headline = `Created ${kind.name} ${created.id}. It is shown only now; only its hash is stored.`;
  const shown = { token: text, [kind.holder]: kind.holderOf(created), expires: created.expiresAt ?? 'never' };
  print(json, { ...tokenJson(kind, created), token: text }, facts(headline, shown));
}

/** Adds `list` and `revoke` to the kind's command. */
export function addListAndRevoke<Token extends PlantToken | ServiceToken>(
  command: Command,
  kind: TokenKind<Token>,
  { config, json }: CommandHost,
): void {
  command
    .command('list')
    .description('all tokens, oldest first')
    .action(() =>
      withDatabase(config(), async (database) => {
        const tokens = await kind.list(database);
        const rows = tokens.map((token) => [
          ...[token.id, kind.holderOf(token), token.status, token.createdAt, token.expiresAt],
        ]);
        const headings = ['ID', kind.holder.toUpperCase(), 'STATUS', 'CREATED', 'EXPIRES'];
        const all = tokens.map((token) => tokenJson(kind, token));
        print(json(), all, table(headings, rows, `There are no ${kind.name}s.`));
      }),
    );
  command
    .command('revoke <id>')
    .description('revoke a token permanently, with immediate effect')
    .action((id: string) =>
      revoking(config(), async (database) => {
        const revoked = await kind.revoke(database, id);
        const done = `${capital(kind.name)} ${id} is revoked since ${revoked.revokedAt}.`;
        print(json(), tokenJson(kind, revoked), done);
      }),
    );
}
