// `portico serve` in a separate process, which a test may signal, kill and restart.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CHILD_ENVIRONMENT } from '#test/support/child-environment.ts';
import { freePort } from '#test/support/ports.ts';
import { isRunning, killChild, untilStarted } from '#test/support/started.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface ServeProcess {
  url: string;
  pid: number;
  internalUrl: string;
  /** Its standard output and standard error. */
  readonly output: string;
  readonly running: boolean;
  /** Resolves once it is ready; kills it and rejects if it is not ready in time. */
  ready(patienceMs?: number): Promise<void>;
  /** Status and body of `/readyz`; status 0 if there is no response. */
  readiness(): Promise<{ status: number; body: { status?: string; away?: string[]; reason?: string } }>;
  signal(name: NodeJS.Signals): void;
  /** Resolves at its exit, with the exit code, or null if a signal ended it. */
  exited: Promise<number | null>;
  /** Kills it, in whatever state it is. */
  end(): Promise<void>;
}

/** Starts it and waits until it is ready; if that fails, kills it and throws its output. */
export async function startServe(env: Record<string, string>, ...words: string[]): Promise<ServeProcess> {
  const serve = await launchServe(env, ...words);
  await serve.ready();
  return serve;
}

/** Starts it without waiting. Free ports are chosen unless `env` names them. */
export function launchServe(env: Record<string, string>, ...words: string[]): Promise<ServeProcess> {
  return launchServeOf(root, env, ...words);
}

/** The same for another tree, such as that of an earlier version. */
export async function launchServeOf(
  tree: string,
  env: Record<string, string>,
  ...words: string[]
): Promise<ServeProcess> {
  const ports = { PORT: String(await freePort()), INTERNAL_PORT: String(await freePort()) };
  const settings = { ...CHILD_ENVIRONMENT, LOG_LEVEL: 'error', ...ports, ...env };
  const child = spawn(process.execPath, ['src/main.ts', 'serve', ...words], {
    cwd: tree,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const internalUrl = `http://127.0.0.1:${settings.INTERNAL_PORT}`;
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const readiness: ServeProcess['readiness'] = async () => {
    try {
      const response = await fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(30_000) });
      return { status: response.status, body: (await response.json()) as object };
    } catch {
      return { status: 0, body: {} };
    }
  };
  return {
    url: `http://127.0.0.1:${settings.PORT}`,
    pid: child.pid ?? 0,
    internalUrl,
    exited,
    readiness,
    ready: (patienceMs) =>
      untilStarted(
        child,
        async () => (await readiness()).status === 200,
        () => output,
        patienceMs,
      ),
    get output() {
      return output;
    },
    get running() {
      return isRunning(child);
    },
    signal: (name) => void child.kill(name),
    async end() {
      await killChild(child);
      await exited;
    },
  };
}
