// The embedded PostgreSQL: commands work while `serve` runs, and acknowledged data survive every way to end it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openEmbedded } from '#database/embedded.ts';
import { portico } from '#test/cli/portico.ts';
import { embeddedDirectory } from '#test/support/engines.ts';
import { pathFor } from '#test/support/partner.ts';
import { until } from '#test/support/ports.ts';
import { call } from '#test/support/scenario.ts';
import { makePortfolio, type Portfolio } from './portfolio.ts';
import { launchServe, type ServeProcess, startServe } from './serve-process.ts';

/** A program that only holds the lock on the file named by its argument. */
const HOLD = `
const file = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
file.exec('begin exclusive');
console.log('held');
setInterval(() => file, 60_000)`;

/** Kills its process just before the last files of a new database are written. */
const KILLED_HALF_WAY = `data:text/javascript,${encodeURIComponent(`
import fs from 'node:fs';
const open = fs.openSync;
fs.openSync = (path, ...how) =>
  String(path).endsWith('/pg_hba.conf') ? process.kill(process.pid, 'SIGKILL') : open(path, ...how);`)}`;

let directory: string;
const running: ServeProcess[] = [];

beforeEach(async () => {
  directory = await embeddedDirectory();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((serve) => serve.end()));
  await rm(directory, { recursive: true, force: true });
});

async function serveThere(): Promise<ServeProcess> {
  const serve = await startServe({ DATA_DIR: directory });
  running.push(serve);
  return serve;
}

/** Runs a command on the same directory and returns its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: output of the command.
async function command(...words: string[]): Promise<any> {
  const { code, stdout, stderr } = await portico({ DATA_DIR: directory }, ...words, '--json');
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

interface Access {
  secret: string;
  clientId: string;
}

/** Creates a key with a grant through the command line. */
async function giveAccess(): Promise<Access> {
  const firm = await command('firm', 'create', '--name', 'Firm', '--plan', 'enterprise');
  const person = ['--email', 'client@example.com', '--name', 'Client', '--role', 'client', '--environment', 'sandbox'];
  const [client, key] = await Promise.all([
    command('user', 'create', ...person, '--currency', 'USD'),
    command('key', 'create', '--firm', firm.id, '--name', 'Key', '--environment', 'sandbox', '--scopes', 'registry'),
  ]);
  await command('grant', 'create', '--key', key.id, '--client', client.id, '--scopes', 'registry');
  return { secret: key.secret, clientId: client.id };
}

async function statusAt(serve: ServeProcess, { secret, clientId }: Access): Promise<number> {
  return (await call(serve.url + pathFor(clientId, '/assets'), secret)).status;
}

describe('the embedded PostgreSQL', () => {
  it('serves other commands while serve runs, and keeps data over a graceful stop', async () => {
    // Not the migrated copy: serve creates the database itself, which takes longer.
    await rm(directory, { recursive: true });
    const serve = await serveThere();
    const access = await giveAccess();
    expect(await statusAt(serve, access)).toBe(200);
    serve.signal('SIGTERM');
    expect(await serve.exited, serve.output).toBe(0);
    expect(await statusAt(await serveThere(), access)).toBe(200);
  });

  it('is created anew after its creation was interrupted when it looked complete', async () => {
    await rm(directory, { recursive: true });
    const serve = await launchServe({ DATA_DIR: directory, NODE_OPTIONS: `--import=${KILLED_HALF_WAY}` });
    running.push(serve);
    expect(await serve.exited, serve.output).toBe(null);
    const opened = await openEmbedded(directory);
    await opened.close();
  });

  it('starts again with all acknowledged data after its owner was killed', async () => {
    const serve = await serveThere();
    const { key, client } = await portfolioThere();
    serve.signal('SIGKILL');
    await serve.exited;
    expect(await statusAt(await serveThere(), { secret: key.secret, clientId: client.id })).toBe(200);
  });

  it('is not shared by a second serve, which exits with one line of explanation and does not disturb the first', async () => {
    const owner = await serveThere();
    const second = await launchServe({ DATA_DIR: directory });
    running.push(second);
    expect(await second.exited).toBe(1);
    expect(second.output).toMatch(/^portico: another process uses .+ need DATABASE_URL and REDIS_URL\n$/);
    const { key, client } = await portfolioThere();
    expect(await statusAt(owner, { secret: key.secret, clientId: client.id })).toBe(200);
  });

  it('is opened by one of several processes that start at the same time after its owner was killed', async () => {
    const killed = await serveThere();
    killed.signal('SIGKILL');
    await killed.exited;
    const several = await Promise.all([1, 2, 3].map(() => launchServe({ DATA_DIR: directory })));
    running.push(...several);
    const ended = () => several.filter(({ running: still }) => !still);
    await until(
      async () => ended().length === 2,
      60_000,
      () => new Error(`still running: ${several.length - ended().length}`),
    );
    const survivor = several.find(({ running: still }) => still);
    await until(
      async () => (await survivor?.readiness())?.status === 200,
      60_000,
      () => new Error('the one that is left is not ready'),
    );
    expect(ended().map(({ output }) => /another process uses/.test(output))).toEqual([true, true]);
  });

  it('is opened by a waiting process once an unresponsive owner has ended', async () => {
    const ending = spawn(process.execPath, ['--eval', HOLD, join(directory, 'owner.lock')]);
    onTestFinished(() => void ending.kill('SIGKILL'));
    await once(ending.stdout, 'data');
    const opening = openEmbedded(directory);
    const early = await Promise.race([opening.then(() => 'opened'), new Promise((wake) => setTimeout(wake, 500))]);
    expect(early, 'the owner was alive').toBeUndefined();
    ending.kill('SIGKILL');
    const opened = await opening;
    expect(opened.guest).toBe(false);
    await opened.close();
  });

  it('is not opened by a process with the same id as its owner whose socket it does not see, as in another container', async () => {
    const owner = await openEmbedded(directory);
    await rm(join(new URL(owner.url).searchParams.get('host') ?? '', '.s.PGSQL.5432'));
    // This process is both, so the ids are equal.
    const opening = openEmbedded(directory);
    const early = await Promise.race([opening.then(() => 'opened'), new Promise((wake) => setTimeout(wake, 2_000))]);
    expect(early, 'the owner was alive').toBeUndefined();
    await owner.close();
    const opened = await opening;
    expect(opened.guest).toBe(false);
    await opened.close();
  });

  it('accepts as many connections as a large pool and other commands may open', async () => {
    const { url, close } = await openEmbedded(directory);
    const clients = Array.from({ length: 200 }, () => new Client({ connectionString: url }));
    const answers = await Promise.all(
      clients.map(async (client) => {
        await client.connect();
        return (await client.query('select 1')).rowCount;
      }),
    ).finally(() => Promise.all(clients.map((client) => client.end())).then(close));
    expect(new Set(answers)).toEqual(new Set([1]));
  });

  it('ends its serve when it crashes, with one line of explanation, and keeps acknowledged data', async () => {
    const serve = await serveThere();
    const { key, client } = await portfolioThere();
    const { url } = await openEmbedded(directory);
    const guest = new Client({ connectionString: url });
    guest.on('error', () => {});
    await guest.connect();
    // The copy's data never reach the program, which then ends itself, as it does after a full disk.
    await guest.query('copy firms from stdin').catch(() => {});
    expect(await serve.exited).toBe(1);
    expect(serve.output).toMatch(/^portico: the embedded PostgreSQL failed: terminating connection .+$/m);
    expect(await statusAt(await serveThere(), { secret: key.secret, clientId: client.id })).toBe(200);
  });

  it('closes only after commands that joined it have finished', async () => {
    const create = (name: string) => command('firm', 'create', '--name', name);
    const firms = await Promise.all(['One', 'Two', 'Three'].map(create));
    expect(new Set(firms.map((firm) => firm.id)).size).toBe(3);
  });
});

/** A partner with a portfolio, written through the server that owns the directory. */
async function portfolioThere(): Promise<Portfolio> {
  const { url } = await openEmbedded(directory);
  const portfolio = await makePortfolio(url, false);
  await portfolio.database.close();
  return portfolio;
}
