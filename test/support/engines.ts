// Test support: gateways on a PostgreSQL server and on the embedded PostgreSQL.

import { cpSync, existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { openEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { migrationsFingerprint } from './database.ts';
import { startGateway, type TestGateway } from './gateway.ts';

export interface Engine {
  name: string;
  start(): Promise<TestGateway>;
}

/**
 * A migrated database directory to copy, since creating one takes seconds. Made by the first process of a run that
 * needs it.
 */
async function embeddedTemplate(): Promise<string> {
  const template = join(inject('directory'), `embedded-${migrationsFingerprint()}`);
  if (existsSync(template)) return template;
  const own = `${template}-${process.pid}`;
  const engine = await openEmbedded(own);
  const database = await openDatabase({ url: engine.url, prepare: false });
  await migrate(database, 'PTC');
  await database.close();
  await engine.close();
  // If another process was faster, its template exists, and this one is used just as well.
  return rename(own, template).then(
    () => template,
    () => own,
  );
}

/** A new directory with a migrated embedded database that is not running. */
export async function embeddedDirectory(): Promise<string> {
  const directory = await mkdtemp(join(inject('directory'), 'gateway-'));
  // Synchronous: for 1,400 small files this takes a fifth of the time of the asynchronous copy.
  cpSync(await embeddedTemplate(), directory, { recursive: true });
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
