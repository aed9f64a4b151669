// One empty database for one test file.

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  url: string;
  /** Also ends the connections that are still open. */
  drop(): Promise<void>;
}

/** `admin`: where to create it; by default the tests' shared PostgreSQL. */
export async function createDatabase(admin = inject('services').postgresUrl): Promise<TestDatabase> {
  const name = `portico_test_${randomBytes(6).toString('hex')}`;
  await execute(admin, `create database ${name} encoding 'UTF8' template template0`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(admin, `drop database if exists ${name} with (force)`) };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
