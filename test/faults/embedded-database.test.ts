// The embedded PostgreSQL: commands work while `serve` runs, and acknowledged data survive every way to end it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openConfiguredDatabase } from '#cli/session.ts';
import { openEmbedded } from '#database/embedded.ts';
import { readConfig } from '#src/config.ts';
import { portico, runHere } from '#test/cli/portico.ts';
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
async function command(run: typeof portico, ...words: string[]): Promise<any> {
  const { code, stdout, stderr } = await run({ DATA_DIR: directory }, ...words, '--json');
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

interface Access {
  secret: string;
  clientId: string;
}

/** Creates a key with a grant through the command line. */
async function giveAccess(): Promise<Access> {
  const here = (...words: string[]) => command(runHere, ...words);
  const firm = await here('firm', 'create', '--name', 'Firm', '--plan', 'enterprise');
  const person = ['--email', 'client@example.com', '--name', 'Client', '--role', 'client', '--environment', 'sandbox'];
  const client = await here('user', 'create', ...person, '--currency', 'USD');
  const named = ['--firm', firm.id, '--name', 'Key', '--environment', 'sandbox'];
  const key = await here('key', 'create', ...named, '--scopes', 'registry');
  await here('grant', 'create', '--key', key.id, '--client', client.id, '--scopes', 'registry');
  return { secret: key.secret, clientId: client.id };
}

async function statusAt(serve: ServeProcess, { secret, clientId }: Access): Promise<number> {
  return (await call(serve.url + pathFor(clientId, '/assets'), secret)).status;
}

describe('the embedded PostgreSQL', () => {
  it('serves other commands and as many connections as they and a large pool may open, and keeps data over a graceful stop', async () => {
    const serve = await serveThere();
    const access = await giveAccess();
    expect(await statusAt(serve, access)).toBe(200);
    const { url } = await openEmbedded(directory);
    const clients = Array.from({ length: 200 }, () => new Client({ connectionString: url }));
    const answers = await Promise.all(
      clients.map(async (client) => {
        await client.connect();
        return (await client.query('select 1')).rowCount;
      }),
    ).finally(() => Promise.all(clients.map((client) => client.end())));
    expect(new Set(answers)).toEqual(new Set([1]));
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

  it('is not shared by a second serve, and is opened by one of several once its owner was killed, with all data', async () => {
    const owner = await serveThere();
    const second = await launchServe({ DATA_DIR: directory });
    running.push(second);
    expect(await second.exited).toBe(1);
    expect(second.output).toMatch(/^portico: another process uses .+ need DATABASE_URL and REDIS_URL\n$/);
    // The second one did not disturb the first.
    const { key, client } = await portfolioThere();
    const access = { secret: key.secret, clientId: client.id };
    expect(await statusAt(owner, access)).toBe(200);

    owner.signal('SIGKILL');
    await owner.exited;
    const several = await Promise.all([1, 2, 3].map(() => launchServe({ DATA_DIR: directory })));
    running.push(...several);
    const ended = () => several.filter(({ running: still }) => !still);
    await until(
      async () => ended().length === 2,
      60_000,
      () => new Error(`still running: ${several.length - ended().length}`),
    );
    const [survivor] = several.filter(({ running: still }) => still);
    if (survivor === undefined) throw new Error('none is left');
    await survivor.ready();
    expect(ended().map(({ output }) => /another process uses/.test(output))).toEqual([true, true]);
    expect(await statusAt(survivor, access)).toBe(200);
  });

  it('is opened by a waiting process only once an unresponsive owner has ended, also one of the same id whose socket it does not see', async () => {
    const ending = spawn(process.execPath, ['--eval', HOLD, join(directory, 'owner.lock')]);
    onTestFinished(() => void ending.kill('SIGKILL'));
    await once(ending.stdout, 'data');
    const opening = openEmbedded(directory);
    await untilRefusedAgain();
    ending.kill('SIGKILL');
    const owner = await opening;
    expect(owner.guest).toBe(false);

    // As in another container. This process is both, so the ids are equal.
    await rm(join(new URL(owner.url).searchParams.get('host') ?? '', '.s.PGSQL.5432'));
    const openingNext = openEmbedded(directory);
    await untilRefusedAgain();
    await owner.close();
    const next = await openingNext;
    expect(next.guest).toBe(false);
    await next.close();
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
    const create = (name: string) => command(portico, 'firm', 'create', '--name', name);
    const firms = await Promise.all(['One', 'Two', 'Three'].map(create));
    expect(new Set(firms.map((firm) => firm.id)).size).toBe(3);
  });

  it('closes although another process keeps a transaction open, and rejects statements that waited for it', async () => {
    const opened = await openConfiguredDatabase(readConfig({ DATA_DIR: directory }));
    const { url } = await openEmbedded(directory);
    const guest = new Client({ connectionString: url });
    guest.on('error', () => {});
    await guest.connect();
    let closed: Promise<void> | undefined;
    const answer = opened.database.connection(async (sql) => {
      await guest.query('begin');
      const waiting = sql.query({ text: 'select 1' });
      closed = opened.close();
      return waiting;
    });
    await expect(answer).rejects.toThrow('Connection terminated');
    await closed;
    expect(readdirSync(directory)).toEqual(['owner.lock', 'postgres']);
  });
});

/** Waits until this process was refused the lock twice: it did not open the database after the first refusal. */
async function untilRefusedAgain(): Promise<void> {
  const locking = vi.spyOn(DatabaseSync.prototype, 'exec');
  const refusals = () => locking.mock.results.filter(({ type }) => type === 'throw').length;
  await expect.poll(refusals).toBeGreaterThan(1);
  locking.mockRestore();
}

/** A partner with a portfolio, written through the server that owns the directory. */
async function portfolioThere(): Promise<Portfolio> {
  const { url } = await openEmbedded(directory);
  const portfolio = await makePortfolio(url, false);
  await portfolio.database.close();
  return portfolio;
}
