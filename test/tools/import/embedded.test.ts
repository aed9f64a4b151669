// Imports into the embedded database.

import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openDatabase } from '#database/database.ts';
import { openEmbedded } from '#database/embedded.ts';
import { embeddedDirectory } from '#test/support/engines.ts';
import { asset, client, idOf, ONE_OF_EACH, sceneOver } from './scene.ts';

it('an import into the embedded database has the same result', async () => {
  const directory = await embeddedDirectory();
  const server = await openEmbedded(directory);
  const database = await openDatabase({ url: server.url, prepare: false });
  const scene = sceneOver(database);
  try {
    const assets = Array.from({ length: 5_000 }, (_, index) => ({ ...asset, id: idOf('itm', 1 + index) }));
    const files = { ...ONE_OF_EACH, assets };
    expect((await scene.load(files)).assets).toMatchObject({ inserted: 5_000 });
    expect((await scene.load(files)).assets).toMatchObject({ unchanged: 5_000, updated: 0 });
    expect((await scene.refused({ users: [client, client] })).map(({ field }) => field)).toEqual(['id', 'email']);
    expect((await scene.load({ assets: [{ ...asset, title: 'Other' }] })).assets).toMatchObject({ updated: 1 });
  } finally {
    await scene.close();
    await database.close();
    await server.close();
    await rm(directory, { recursive: true });
  }
});
