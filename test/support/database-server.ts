// Test support: the server that the databases of a run are on; used before, in and after the test processes.

import { Client } from 'pg';

/** Names of databases that this run creates begin so, and no others do. */
export const prefixOf = (run: string) => `portico_test_${run}_`;

/** The URL of another database on the same server. */
export function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

export async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Drops what the run has left behind: its template, and the databases of test processes that were killed. */
export async function dropDatabasesOf(run: string, server: string): Promise<void> {
  await withClient(server, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [prefixOf(run)],
    );
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
  });
}
