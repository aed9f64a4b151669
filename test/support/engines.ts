// Test support: both ways to run a gateway: over a PostgreSQL server, and over the embedded one.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#data/database.ts';
import { openEmbedded } from '#data/embedded.ts';
import { migrate } from '#data/migrate.ts';
import { startGateway, type TestGateway } from './gateway.ts';

export interface Engine {
  name: string;
  start(): Promise<TestGateway>;
}

async function startEmbedded(): Promise<TestGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-embedded-'));
  const engine = await openEmbedded(directory);
  const database = await openDatabase({ url: engine.url, prepare: false, onConnectionLost: () => {} });
  await migrate(database, 'PTC');
  await database.close();
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
