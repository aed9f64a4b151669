// Test support: the PostgreSQL server of a run; used by the global set-up and by test processes.

import { Client } from 'pg';

/** The prefix of the names of all databases that this run creates, and of no others. */
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

/** Drops the databases that are left of the run: its template, and those of killed test processes. */
export async function dropDatabasesOf(run: string, server: string): Promise<void> {
  await withClient(server, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [prefixOf(run)],
    );
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
  });
}
