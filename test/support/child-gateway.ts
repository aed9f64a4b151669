// Test support: a gateway in a process of its own, with its output.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CHILD_ENVIRONMENT } from './child-environment.ts';
import { isRunning, untilStarted } from './started.ts';

export interface ChildGateway {
  url: string;
  internalUrl: string;
  /** Standard output and standard error so far. */
  log(): string;
  /** Sends SIGTERM and waits for the end of the process. */
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `env` is the whole environment apart from CHILD_ENVIRONMENT and free ports; `options` are those of `serve`. */
export async function startChildGateway(env: Record<string, string>, ...options: string[]): Promise<ChildGateway> {
  const child = spawn(process.execPath, ['src/main.ts', 'serve', ...options], {
    cwd: root,
    env: { ...CHILD_ENVIRONMENT, PORT: '0', INTERNAL_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  const address = (listener: string) => new RegExp(`${listener}: +(http://[\\d.]+:\\d+)`).exec(text)?.[1] ?? '';
  const listens = async () => address('public') !== '' && address('internal') !== '';
  await untilStarted(child, listens, () => text);
  return {
    url: address('public'),
    internalUrl: address('internal'),
    log: () => text,
    async stop() {
      if (!isRunning(child)) return;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
}
