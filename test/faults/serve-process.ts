// `portico serve` as a process of its own, which a test may signal, kill and start again.

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
  /** What it said on standard output and standard error. */
  readonly said: string;
  readonly running: boolean;
  /** Resolves once it is ready; rejects where it is not in time, and ends it. */
  ready(patienceMs?: number): Promise<void>;
  /** `/readyz` with its body; status 0 where nobody answers. */
  readiness(): Promise<{ status: number; body: { status?: string; away?: string[] } }>;
  signal(name: NodeJS.Signals): void;
  /** Resolves at its end, with its exit code, or null where a signal ended it. */
  exited: Promise<number | null>;
  /** Ends it whatever state it is in. */
  end(): Promise<void>;
}

/** Starts it and waits until it is ready; where that fails it is gone, and what it said is thrown. */
export async function startServe(env: Record<string, string>, ...words: string[]): Promise<ServeProcess> {
  const serve = await launchServe(env, ...words);
  await serve.ready();
  return serve;
}

/** Starts it and waits for nothing. Ports are free ones unless `env` names them. */
export function launchServe(env: Record<string, string>, ...words: string[]): Promise<ServeProcess> {
  return launchServeOf(root, env, ...words);
}

/** The same of another tree, such as an earlier version's. */
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
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
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
        () => said,
        patienceMs,
      ),
    get said() {
      return said;
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
