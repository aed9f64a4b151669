// A client and its partners, created by the program of one version, which may be an earlier one.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openDatabase } from '#database/database.ts';
import type { Wanted } from '#test/faults/load.ts';
import { pathFor } from '#test/support/partner.ts';
import { VERSION } from '#test/support/scenario.ts';

/** Enough keys that rehearsals reach no key's limit, and one more. */
const KEYS = 7;

// Run in the given tree, whose modules it imports.
const FILL = `
const { openDatabase } = await import('#database/database.ts');
const { migrate } = await import('#database/migrate.ts');
const scenario = await import('#test/support/scenario.ts');
const [url, keyCount] = process.argv.slice(1);
const database = await openDatabase({ url });
await migrate(database, 'PTC');
const client = await scenario.makeClient(database);
const keys = [];
for (let count = 0; count < Number(keyCount); count++) {
  const key = await scenario.makeKey(database, await scenario.makeFirm(database));
  await scenario.makeGrant(database, key, client);
  keys.push({ id: key.id, secret: key.secret });
}
const items = [];
for (let count = 0; count < 3; count++) {
  const item = await scenario.makeItem(database, client);
  await scenario.furnish(database, client, item);
  items.push(item.registryId);
}
await database.close();
console.log(JSON.stringify({ clientId: client.id, keys, items }));`;

export interface RehearsedPortfolio {
  clientId: string;
  keys: { id: string; secret: string }[];
  /** A key that `wanted` uses only if it is given. */
  spare: { id: string; secret: string };
  /** The database that `records` reads. */
  databaseUrl: string;
  /** The request with this number, with the keys in turn or with the given one. */
  wanted(base: string, key?: { secret: string }): (count: number) => Wanted;
  /** Request ids of the client's access record, with the status of each. */
  records(): Promise<Map<string, number>>;
}

/** Migrates the database with the program in `tree`, and fills it. `url` may name several hosts. */
export async function fillPortfolio(tree: string, url: string): Promise<RehearsedPortfolio> {
  const words = ['--input-type=module', '-e', FILL, url, `${KEYS}`];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: tree });
  const made = JSON.parse(stdout) as Pick<RehearsedPortfolio, 'clientId' | 'keys'> & { items: string[] };
  const { clientId, items } = made;
  const [spare = { id: '', secret: '' }, ...keys] = made.keys;
  const paths = [
    '/assets?include=documents',
    `/assets/${items[0]}`,
    '/portfolio/summary',
    `/assets/${items[1]}/valuations`,
  ];
  const portfolio: RehearsedPortfolio = {
    ...{ clientId, keys, spare, databaseUrl: url },
    wanted: (base, key) => (count) => ({
      url: base + pathFor(clientId, paths[count % paths.length] ?? ''),
      headers: {
        Authorization: `Bearer ${(key ?? keys[count % keys.length])?.secret}`,
        'X-Service-Version': VERSION,
      },
    }),
    async records() {
      const database = await openDatabase({ url: portfolio.databaseUrl });
      try {
        const rows = await database.query<{ request_id: string; status: number }>({
          text: 'select request_id, status from recorded_calls where client_id = $1',
          values: [clientId],
        });
        return new Map(rows.map((row) => [row.request_id, row.status]));
      } finally {
        await database.close();
      }
    },
  };
  return portfolio;
}
