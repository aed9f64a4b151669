// Test support: gateways on a PostgreSQL server and on the embedded PostgreSQL.

import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { openEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { templateDirectory } from './template-directory.ts';

export interface Engine {
  name: string;
  start(): Promise<TestGateway>;
}

/** Creates a migrated database directory to copy, which takes seconds. */
async function makeTemplate(path: string): Promise<void> {
  const engine = await openEmbedded(path);
  const database = await openDatabase({ url: engine.url, prepare: false });
  await migrate(database, 'PTC');
  await database.close();
  await engine.close();
}

/** A new directory with a migrated embedded database that is not running. */
export async function embeddedDirectory(): Promise<string> {
  const directory = await mkdtemp(join(inject('directory'), 'gateway-'));
  // Synchronous: for 1,400 small files this takes a fifth of the time of the asynchronous copy.
  cpSync(await templateDirectory('embedded', makeTemplate), directory, { recursive: true });
  return directory;
}

async function startEmbedded(): Promise<TestGateway> {
  const directory = await embeddedDirectory();
  const engine = await openEmbedded(directory);
  const gateway = await startGateway({ databaseUrl: engine.url, prepare: false });
  return {
    ...gateway,
    async stop() {
      await gateway.stop();
      await engine.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** For `describe.each(ENGINES)('over $name', …)`. */
export const ENGINES: readonly Engine[] = [
  { name: 'a PostgreSQL server', start: () => startGateway() },
  { name: 'the embedded PostgreSQL', start: startEmbedded },
];
