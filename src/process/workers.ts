// Process: a primary that starts workers, replaces those that die and ends them all.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Exposition, Metrics } from '#observability/metrics/metrics.ts';
import { gatherMetrics, metricsOfAllWorkers } from './worker-metrics.ts';

/** Delay before a replacement: doubles while workers die young. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
const YOUNG_MS = 10_000;
/** A new worker that takes longer to listen replaces nobody. It may wait for Redis for 65 s. */
const START_MS = 120_000;
/**
 * So often each worker is asked for a word, and one that has left so many questions without any hangs: it is ended. Turns are counted, not
 * time, because a machine that was suspended, or a primary that was held up, has let nobody answer.
 */
const ASK_MS = 10_000;
const MAX_UNANSWERED = 12;

export interface Ports {
  port: number;
  internalPort: number;
}

interface Listening {
  listening: Ports;
}

/** To a worker whose place another one has taken. */
interface Retire {
  retire: true;
}

/** To a worker, which sends it back. */
interface Ask {
  ask: true;
}

export interface Workers {
  /** The ports that all share. */
  ports: Ports;
  /**
   * Replaces the workers one by one: each ends in order once a new one listens. False where a new one did not start: the rest
   * stay as they are.
   */
  restart(): Promise<boolean>;
  /** Ends every worker in order. */
  stop(): Promise<void>;
}

export interface WorkersOptions {
  count: number;
  /** What each worker is given on its command line. */
  args: string[];
  /** How long one that was told to end may take. */
  patienceMs: number;
  onDeath: (pid: number, reason: string) => void;
  /** Between two questions whether a worker still answers; absent: ten seconds. */
  askMs?: number;
}

/**
 * Starts `count` workers, each of which runs this program with `args` and says when it listens. Resolves once one does;
 * the others follow. Null where the first one ends before that: it has said why.
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers | null> {
  const { count, args, patienceMs, onDeath, askMs = ASK_MS } = options;
  cluster.setupPrimary({ args });
  const alive = new Set<Worker>();
  const listening = new Set<Worker>();
  const retired = new Set<Worker>();
  const replacements = new Set<NodeJS.Timeout>();
  /** Questions since a worker's last word. */
  const unanswered = new WeakMap<Worker, number>();
  let settled = false;
  let delay = FIRST_DELAY_MS;

  const start = (): Worker => {
    const worker = cluster.fork();
    const started = performance.now();
    alive.add(worker);
    worker.on('message', (message: Partial<Listening>) => {
      unanswered.delete(worker);
      if (message.listening !== undefined) listening.add(worker);
    });
    worker.once('exit', (code, signal) => {
      alive.delete(worker);
      listening.delete(worker);
      if (retired.delete(worker) || !settled) return;
      // A restart may have started another one in its place.
      if (alive.size + replacements.size >= count) return;
      const reason = unanswered.get(worker) === MAX_UNANSWERED ? 'it did not answer any more' : signal;
      onDeath(worker.process.pid ?? 0, reason ?? `exit code ${code}`);
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

  const retire = (worker: Worker) => {
    retired.add(worker);
    return untilGone(worker, patienceMs, () => worker.send({ retire: true } satisfies Retire, () => {}));
  };

  const askAll = () => {
    for (const worker of alive) {
      const questions = unanswered.get(worker) ?? 0;
      if (questions === MAX_UNANSWERED) worker.process.kill('SIGKILL');
      else unanswered.set(worker, questions + 1);
      worker.send({ ask: true } satisfies Ask, () => {});
    }
  };

  gatherMetrics(() => listening);
  const ports = await listeningPorts(start());
  if (ports === null) return null;
  settled = true;
  for (let index = 1; index < count; index++) start();
  const asking = setInterval(askAll, askMs).unref();
  return {
    ports,
    async restart() {
      try {
        for (const old of [...alive]) {
          // A stop ends those that it finds, and nobody would end another one.
          if (!settled) return false;
          const fresh = start();
          if ((await listeningPorts(fresh)) === null || !settled) return false;
          // One that died by itself meanwhile has been replaced by the new one.
          if (alive.has(old)) await retire(old);
        }
        return true;
      } finally {
        // A new one that died while there were more than enough was not replaced.
        while (settled && alive.size + replacements.size < count) start();
      }
    },
    async stop() {
      settled = false;
      // From here on each has its own time to end.
      clearInterval(asking);
      for (const timer of replacements) clearTimeout(timer);
      // worker.kill() would take the connection away first, and with it the listeners of requests in flight.
      const end = (worker: Worker) => untilGone(worker, patienceMs, () => worker.process.kill('SIGTERM'));
      await Promise.all([...alive].map(end));
    },
  };
}

/** Null where the worker ends, or has to be ended, before it listens. */
async function listeningPorts(worker: Worker): Promise<Ports | null> {
  const impatience = setTimeout(() => worker.process.kill('SIGKILL'), START_MS);
  const ports = await new Promise<Ports | null>((resolve) => {
    worker.on('message', (message: Partial<Listening>) => message.listening && resolve(message.listening));
    worker.once('exit', () => resolve(null));
  });
  clearTimeout(impatience);
  return ports;
}

async function untilGone(worker: Worker, patienceMs: number, tell: () => unknown): Promise<void> {
  const gone = once(worker, 'exit');
  tell();
  const impatience = setTimeout(() => worker.process.kill('SIGKILL'), patienceMs);
  await gone;
  clearTimeout(impatience);
}

/** What a worker does beside serving. */
export interface WorkerLink {
  exposition: (own: Metrics) => Exposition;
  announce(ports: Ports): void;
  /** Resolves when the primary is gone: nobody would replace or end this worker any more. */
  orphaned: Promise<unknown>;
  /** Resolves when another worker has taken this one's place. */
  retired: Promise<unknown>;
  /** Lets the process end. */
  leave(): void;
}

export function joinWorkers(): WorkerLink {
  process.on('message', (message: Partial<Ask>) => {
    if (message.ask) process.send?.(message, undefined, {}, () => {});
  });
  return {
    exposition: metricsOfAllWorkers,
    announce(listening) {
      // Until now Node ends an orphan at once. From now on there would be requests in flight and records unsaved.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      process.send?.({ listening } satisfies Listening);
    },
    orphaned: once(process, 'disconnect'),
    retired: new Promise((resolve) => {
      process.on('message', (message: Partial<Retire>) => message.retire && resolve(null));
    }),
    // Asks the primary before it leaves, so that connections that were on their way here are handed to others.
    leave: () => process.connected && cluster.worker?.disconnect(),
  };
}
