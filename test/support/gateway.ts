// Test support: a gateway in this process on free ports, over a database of its own.

import { type Database, openDatabase } from '#database/database.ts';
import type { RevocationJournal } from '#database/revocation-journal.ts';
import { createApp } from '#src/app.ts';
import { readConfig } from '#src/config.ts';
import type { Version } from '#versions/change.ts';
import { createMigratedDatabase } from './database.ts';

export interface TestGateway {
  /** `http://127.0.0.1:port` of the public listener. */
  url: string;
  internalUrl: string;
  database: Database;
  databaseUrl: string;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** A migrated database, which `stop` leaves; absent: a new one, which `stop` drops. */
  databaseUrl?: string;
  env?: Record<string, string>;
  journal?: RevocationJournal;
  versions?: readonly Version[];
  /** Between attempts to send mail; absent: the interval of the product. */
  mailIntervalMs?: number;
  /** False for the embedded server. */
  prepare?: boolean;
}

/** Starts a gateway without Redis unless `env` names one. */
export async function startGateway({
  databaseUrl,
  env = {},
  journal,
  versions,
  mailIntervalMs,
  prepare = true,
}: GatewayOptions = {}): Promise<TestGateway> {
  const created = databaseUrl === undefined ? await createMigratedDatabase() : null;
  const url = databaseUrl ?? created?.url ?? '';
  const database = await openDatabase({ url, prepare, journal: journal ?? null });
  const config = readConfig({
    DATABASE_URL: url,
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    PORT: '0',
    INTERNAL_PORT: '0',
    // On a busy machine Redis may answer late.
    REDIS_PATIENCE_MS: '10000',
    ...env,
  });
  const app = await createApp(config, database, {
    ...(mailIntervalMs === undefined ? {} : { mailIntervalMs }),
    ...(versions === undefined ? {} : { versions }),
  });
  const { port, internalPort } = await app.listen();
  return {
    url: `http://127.0.0.1:${port}`,
    internalUrl: `http://127.0.0.1:${internalPort}`,
    database,
    databaseUrl: url,
    async stop() {
      await app.stop();
      await database.close();
      await created?.drop();
    },
  };
}
