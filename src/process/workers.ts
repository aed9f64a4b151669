// Process: a primary that starts workers, replaces those that die, and stops them.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Exposition, Metrics } from '#observability/metrics/metrics.ts';
import { gatherMetrics, metricsOfAllWorkers } from './worker-metrics.ts';

/** Delay before a replacement starts. It doubles while workers die young. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
const YOUNG_MS = 10_000;
/**
 * Maximum time for a new worker to listen, which may include 65 s of waiting for Redis. A slower one replaces no other.
 */
const START_MS = 120_000;
/**
 * Interval of pings to each worker. A worker that leaves this many unanswered hangs, and is killed. Pings are counted
 * instead of time, because a suspended machine or a blocked primary gave no worker a chance to answer.
 */
const ASK_MS = 10_000;
const MAX_UNANSWERED = 12;

export interface Ports {
  port: number;
  internalPort: number;
}

/** From a worker: where it listens. To a worker: that another one has replaced it; and a ping, which it sends back. */
interface Message {
  listening?: Ports;
  retire?: true;
  ask?: true;
}

export interface Workers {
  /** The ports shared by all workers. */
  ports: Ports;
  /**
   * Replaces the workers one by one: each stops gracefully once a new one listens. False where a new one did not start;
   * the remaining workers are kept.
   */
  restart(): Promise<boolean>;
  /** Stops every worker gracefully. */
  stop(): Promise<void>;
}

export interface WorkersOptions {
  count: number;
  /** Command line arguments of each worker. */
  args: string[];
  /** Maximum time of a graceful stop. */
  patienceMs: number;
  /** A worker has died and is replaced; without a `pid`, it could not be started. */
  onDeath: (pid: number | undefined, reason: string) => void;
  /** Interval of pings to a worker; default: ten seconds. */
  askMs?: number;
}

/**
 * Starts `count` workers, each of which runs this program with `args` and reports when it listens. Resolves once the
 * first one listens; the others are started then. Null where the first one exits before, after it has reported why, or
 * cannot be started.
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers | null> {
  cluster.setupPrimary({ args: options.args });
  const pool = new WorkerPool(options);
  const ports = await pool.open();
  return ports && { ports, restart: () => pool.restart(), stop: () => pool.stop() };
}

class WorkerPool {
  readonly #options: WorkersOptions;
  readonly #alive = new Set<Worker>();
  readonly #listening = new Set<Worker>();
  readonly #retired = new Set<Worker>();
  /** Timers that will start a worker in place of a dead one. */
  readonly #replacements = new Set<NodeJS.Timeout>();
  /** Pings since a worker's last answer. */
  readonly #unanswered = new WeakMap<Worker, number>();
  /** From when the first worker listens until the stop: workers that die are replaced. */
  #settled = false;
  #delay = FIRST_DELAY_MS;
  #asking: NodeJS.Timeout | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  async open(): Promise<Ports | null> {
    gatherMetrics(() => this.#listening);
    const first = this.#start();
    const ports = first && (await listeningPorts(first));
    if (ports === null) return null;
    this.#settled = true;
    this.#fill();
    this.#asking = setInterval(() => this.#askAll(), this.#options.askMs ?? ASK_MS).unref();
    return ports;
  }

  async restart(): Promise<boolean> {
    try {
      for (const old of [...this.#alive]) {
        // A stop ends only the workers that exist when it begins, so no new one may be started after it.
        if (!this.#settled) return false;
        const fresh = this.#start();
        if (fresh === null || (await listeningPorts(fresh)) === null || !this.#settled) return false;
        // If the old worker died meanwhile, the new one already replaces it.
        if (this.#alive.has(old)) await this.#retire(old);
      }
      return true;
    } finally {
      // A new worker that died while there were more than `count` was not replaced.
      if (this.#settled) this.#fill();
    }
  }

  async stop(): Promise<void> {
    this.#settled = false;
    // From here on each worker has its own time limit to exit.
    clearInterval(this.#asking);
    for (const timer of this.#replacements) clearTimeout(timer);
    // worker.kill() would disconnect first, and so close the listeners while requests are in flight.
    const end = (worker: Worker) => untilGone(worker, this.#options.patienceMs, () => worker.process.kill('SIGTERM'));
    await Promise.all([...this.#alive].map(end));
  }

  #fill(): void {
    while (this.#isShort()) this.#start();
  }

  #isShort(): boolean {
    return this.#alive.size + this.#replacements.size < this.#options.count;
  }

  /** Null where no process can be started, as without memory. Other such failures are reported later, as an exit. */
  #start(): Worker | null {
    const started = performance.now();
    let worker: Worker;
    try {
      worker = cluster.fork();
    } catch (error) {
      this.#onExit(undefined, (error as Error).message, 0);
      return null;
    }
    this.#alive.add(worker);
    worker.on('message', (message: Message) => {
      this.#unanswered.delete(worker);
      if (message.listening !== undefined) this.#listening.add(worker);
    });
    // Node reports no exit of a process that it could not start.
    worker.on('error', ({ message }) => worker.process.pid === undefined && worker.emit('exit', 0, message));
    worker.once('exit', (code, signal) => {
      this.#alive.delete(worker);
      this.#listening.delete(worker);
      if (this.#retired.delete(worker)) return;
      const reason = this.#unanswered.get(worker) === MAX_UNANSWERED ? 'it did not answer any more' : signal;
      this.#onExit(worker.process.pid, reason ?? `exit code ${code}`, performance.now() - started);
    });
    return worker;
  }

  #onExit(pid: number | undefined, reason: string, lived: number): void {
    // A restart may already have started another worker in its place.
    const replaces = this.#settled && this.#isShort();
    if (replaces || pid === undefined) this.#options.onDeath(pid, reason);
    if (replaces) this.#replace(lived);
  }

  #replace(lived: number): void {
    this.#delay = lived > YOUNG_MS ? FIRST_DELAY_MS : Math.min(this.#delay * 2, MAX_DELAY_MS);
    const timer = setTimeout(() => {
      this.#replacements.delete(timer);
      this.#start();
    }, this.#delay);
    this.#replacements.add(timer);
  }

  #retire(worker: Worker): Promise<void> {
    this.#retired.add(worker);
    return untilGone(worker, this.#options.patienceMs, () => worker.send({ retire: true } satisfies Message, () => {}));
  }

  #askAll(): void {
    for (const worker of this.#alive) {
      const questions = this.#unanswered.get(worker) ?? 0;
      if (questions === MAX_UNANSWERED) worker.process.kill('SIGKILL');
      else this.#unanswered.set(worker, questions + 1);
      worker.send({ ask: true } satisfies Message, () => {});
    }
  }
}

/** Null where the worker exits, or has to be killed, before it listens. */
async function listeningPorts(worker: Worker): Promise<Ports | null> {
  const impatience = setTimeout(() => worker.process.kill('SIGKILL'), START_MS);
  const ports = await new Promise<Ports | null>((resolve) => {
    worker.on('message', (message: Message) => message.listening && resolve(message.listening));
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

/** A worker's connection to the primary. */
export interface WorkerLink {
  exposition: (own: Metrics) => Exposition;
  announce(ports: Ports): void;
  /** Resolves when the primary is gone, so that this worker would not be replaced or stopped any more. */
  orphaned: Promise<unknown>;
  /** Resolves when another worker has replaced this one. */
  retired: Promise<unknown>;
  /** Disconnects from the primary, so that the process can exit. */
  leave(): void;
}

export function joinWorkers(): WorkerLink {
  process.on('message', (message: Message) => {
    if (message.ask) process.send?.(message, undefined, {}, () => {});
  });
  return {
    exposition: metricsOfAllWorkers,
    announce(listening) {
      // Until now Node ends a worker without its primary at once. From here that would lose requests and records.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      process.send?.({ listening } satisfies Message);
    },
    orphaned: once(process, 'disconnect'),
    retired: new Promise((resolve) => {
      process.on('message', (message: Message) => message.retire && resolve(null));
    }),
    // Disconnecting through the primary hands connections that are in transit to other workers.
    leave: () => process.connected && cluster.worker?.disconnect(),
  };
}
