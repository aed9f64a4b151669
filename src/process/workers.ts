// Process: a primary that starts workers, replaces those that die and ends them all.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Exposition, Metrics } from '#observability/metrics.ts';
import { gatherMetrics, metricsOfAllWorkers } from './worker-metrics.ts';

/** Delay before a replacement: doubles while workers die young. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
const YOUNG_MS = 10_000;
/** A worker that was told to stop gets as long as its own patience lasts, and then no longer. */
const STOP_MS = 25_000;

export interface Ports {
  port: number;
  internalPort: number;
}

interface Listening {
  listening: Ports;
}

export interface Workers {
  /** The ports that all share. */
  ports: Ports;
  /** Ends every worker in order. */
  stop(): Promise<void>;
}

/**
 * Starts `count` workers, each of which runs this program with `args` and says when it listens. Resolves once one does;
 * the others follow. Null where the first one ends before that: it has said why.
 */
export async function startWorkers(
  count: number,
  args: string[],
  onDeath: (pid: number, reason: string) => void,
): Promise<Workers | null> {
  cluster.setupPrimary({ args });
  const alive = new Set<Worker>();
  const listening = new Set<Worker>();
  const replacements = new Set<NodeJS.Timeout>();
  let settled = false;
  let delay = FIRST_DELAY_MS;

  const start = (): Worker => {
    const worker = cluster.fork();
    const started = performance.now();
    alive.add(worker);
    worker.on('message', (message: Partial<Listening>) => {
      if (message.listening !== undefined) listening.add(worker);
    });
    worker.once('exit', (code, signal) => {
      alive.delete(worker);
      listening.delete(worker);
      if (!settled) return;
      onDeath(worker.process.pid ?? 0, signal ?? `exit code ${code}`);
      replace(performance.now() - started);
    });
    return worker;
  };

  const replace = (lived: number) => {
    delay = lived > YOUNG_MS ? FIRST_DELAY_MS : Math.min(delay * 2, MAX_DELAY_MS);
    const timer = setTimeout(() => {
      replacements.delete(timer);
      start();
    }, delay);
    replacements.add(timer);
  };

  gatherMetrics(() => listening);
  const ports = await listeningPorts(start());
  if (ports === null) return null;
  settled = true;
  for (let index = 1; index < count; index++) start();
  return {
    ports,
    async stop() {
      settled = false;
      for (const timer of replacements) clearTimeout(timer);
      await Promise.all([...alive].map(stopWorker));
    },
  };
}

async function listeningPorts(worker: Worker): Promise<Ports | null> {
  return new Promise((resolve) => {
    worker.on('message', (message: Partial<Listening>) => message.listening && resolve(message.listening));
    worker.once('exit', () => resolve(null));
  });
}

async function stopWorker(worker: Worker): Promise<void> {
  const gone = once(worker, 'exit');
  // worker.kill() would take the connection away first, and with it the listeners of requests in flight.
  worker.process.kill('SIGTERM');
  const impatience = setTimeout(() => worker.process.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(impatience);
}

/** What a worker does beside serving. */
export interface WorkerLink {
  exposition: (own: Metrics) => Exposition;
  announce(ports: Ports): void;
  /** Resolves when the primary is gone: nobody would replace or end this worker any more. */
  orphaned: Promise<unknown>;
  /** Lets the process end. */
  leave(): void;
}

export function joinWorkers(): WorkerLink {
  return {
    exposition: metricsOfAllWorkers,
    announce(listening) {
      // Until now Node ends an orphan at once. From now on there would be requests in flight and records unsaved.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      process.send?.({ listening } satisfies Listening);
    },
    orphaned: once(process, 'disconnect'),
    leave: () => process.connected && process.disconnect(),
  };
}
