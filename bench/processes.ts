// Bench: a contestant's process, alone on the gateway's core.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { answers, freePort, until } from '../test/support/ports.ts';
import type { Contestant } from './contestants.ts';
import { GATEWAY_CORE } from './servers.ts';

export interface Running {
  contestant: Contestant;
  pid: number;
  /** Origin for requests. */
  origin: string;
  stop(): Promise<void>;
}

export interface Services {
  databaseUrl: string;
  redisUrl: string;
  collectorUrl: string;
}

/** Starts it and waits until it accepts connections. Throws with its output if it ends before. */
export async function startContestant(contestant: Contestant, services: Services): Promise<Running> {
  const ports = { PORT: await freePort(), INTERNAL_PORT: await freePort() };
  const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const hook = contestant.productsGraphql ? ['--import', fileOf('contestants/products-graphql.ts')] : [];
  const command = [process.execPath, ...hook, fileOf(contestant.program), ...(contestant.arguments ?? [])];
  // Ends when the bench ends, in whatever way.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'taskset', '-c', `${GATEWAY_CORE}`, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATABASE_URL: services.databaseUrl,
      REDIS_URL: services.redisUrl,
      ...(contestant.traced ? { OTEL_EXPORTER_OTLP_ENDPOINT: services.collectorUrl } : {}),
      PORT: `${ports.PORT}`,
      INTERNAL_PORT: `${ports.INTERNAL_PORT}`,
      ...contestant.settings,
    },
  });
  const written = lastWords(child);
  const failure = () => new Error(`${contestant.name} did not start:\n${written()}`);
  const port = ports[contestant.listener];
  await until(
    async () => {
      if (child.exitCode !== null) throw failure();
      return answers(port);
    },
    60_000,
    failure,
  );
  return {
    contestant,
    pid: child.pid ?? 0,
    origin: `http://127.0.0.1:${port}`,
    stop: () => stop(child),
  };
}

const KEPT_CHARACTERS = 4_000;

function lastWords(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-KEPT_CHARACTERS);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => text;
}

const GRACE_MS = 5_000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await gone;
  clearTimeout(timer);
}
