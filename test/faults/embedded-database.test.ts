// The embedded PostgreSQL: other commands work beside a running serve, and data outlive every way to end it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { portico } from '#test/cli/portico.ts';
import { pathFor } from '#test/support/partner.ts';
import { call } from '#test/support/scenario.ts';
import { type ServeProcess, startServe } from './serve-process.ts';

let directory: string;
const running: ServeProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-data-'));
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

/** Runs a command beside whatever serves the directory; gives its JSON. */
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

/** A key with a grant, made command by command. */
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
  it('serves other commands beside a running serve, and keeps data over a stop in order', async () => {
    const serve = await serveThere();
    const access = await giveAccess();
    expect(await statusAt(serve, access)).toBe(200);
    serve.signal('SIGTERM');
    expect(await serve.exited, serve.said).toBe(0);
    expect(await statusAt(await serveThere(), access)).toBe(200);
  }, 60_000);

  it('starts again after its owner was killed, with what was acknowledged', async () => {
    const serve = await serveThere();
    const access = await giveAccess();
    serve.signal('SIGKILL');
    await serve.exited;
    expect(await statusAt(await serveThere(), access)).toBe(200);
    expect(await command('key', 'list')).toHaveLength(1);
  }, 60_000);

  it('lets a second serve join the first, and the second ends without harm to the first', async () => {
    const owner = await serveThere();
    const guest = await serveThere();
    const access = await giveAccess();
    expect([await statusAt(owner, access), await statusAt(guest, access)]).toEqual([200, 200]);
    guest.signal('SIGTERM');
    expect(await guest.exited).toBe(0);
    expect(await statusAt(owner, access)).toBe(200);
  }, 60_000);
});
