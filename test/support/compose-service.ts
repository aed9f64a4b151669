// Private servers from docker-compose.yml, for machines with docker but without the programs of the servers.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { freePort } from '#test/support/ports.ts';
import type { Service } from '#test/support/service.ts';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

export async function composeAnswers(): Promise<boolean> {
  return run('docker', ['compose', 'ls', '--quiet'], { timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

/** Uses a compose project of its own, apart from one that a developer may have running. */
export async function runComposed(name: 'postgres' | 'redis'): Promise<Service> {
  const port = await freePort();
  const project = `portico-test-${randomBytes(4).toString('hex')}`;
  const variables = { POSTGRES_PORT: `${port}`, REDIS_PORT: `${port}`, POSTGRES_PASSWORD: 'portico' };
  const options = { cwd: root, env: { ...process.env, ...variables } };
  const compose = async (...args: string[]) => {
    await run('docker', ['compose', '-p', project, ...args], options);
  };
  const start = () => compose('up', '--detach', '--wait', name);
  const stop = () => compose('down', '--volumes', '--timeout', '5');
  await start().catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    url: name === 'redis' ? `redis://127.0.0.1:${port}` : `postgres://portico:portico@127.0.0.1:${port}/postgres`,
    port,
    pid: 0,
    stop,
    kill: () => compose('kill', name),
    freeze: () => compose('pause', name),
    thaw: () => compose('unpause', name),
    restart: async () => {
      await compose('kill', name);
      if (name === 'redis') await compose('rm', '--force', '--volumes', name);
      await start();
    },
  };
}
