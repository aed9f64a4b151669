// `portico serve` as a process of its own, which a test may signal, kill and start again.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort, until } from '#test/support/ports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const START_MS = 30_000;

export interface ServeProcess {
  url: string;
  internalUrl: string;
  /** What it said on standard output and standard error. */
  readonly said: string;
  readonly running: boolean;
  /** `/readyz` with its body; status 0 where nobody answers. */
  readiness(): Promise<{ status: number; body: { status?: string; away?: string[] } }>;
  signal(name: NodeJS.Signals): void;
  /** Resolves at its end, with its exit code, or null where a signal ended it. */
  exited: Promise<number | null>;
  /** Ends it whatever state it is in. */
  end(): Promise<void>;
}

/** Starts it and waits until it is ready; throws with what it said where it ends before. */
export async function startServe(env: Record<string, string>, ...words: string[]): Promise<ServeProcess> {
  const serve = await launchServe(env, ...words);
  const failure = () => new Error(`it did not come up:\n${serve.said}`);
  await until(
    async () => {
      if (!serve.running) throw failure();
      return (await serve.readiness()).status === 200;
    },
    START_MS,
    failure,
  );
  return serve;
}

/** Starts it and waits for nothing. Ports are free ones unless `env` names them. */
export async function launchServe(env: Record<string, string>, ...words: string[]): Promise<ServeProcess> {
  const ports = { PORT: String(await freePort()), INTERNAL_PORT: String(await freePort()) };
  const settings = { PATH: process.env.PATH, LOG_LEVEL: 'error', ...ports, ...env };
  const child = spawn(process.execPath, ['src/main.ts', 'serve', ...words], {
    cwd: root,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const internalUrl = `http://127.0.0.1:${settings.INTERNAL_PORT}`;
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    url: `http://127.0.0.1:${settings.PORT}`,
    internalUrl,
    exited,
    get said() {
      return said;
    },
    get running() {
      return isRunning(child);
    },
    async readiness() {
      try {
        const response = await fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(5_000) });
        return { status: response.status, body: (await response.json()) as object };
      } catch {
        return { status: 0, body: {} };
      }
    },
    signal: (name) => void child.kill(name),
    async end() {
      if (isRunning(child)) child.kill('SIGKILL');
      await exited;
    },
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
