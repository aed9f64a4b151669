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
  /** Each starts a worker in the place of a dead one. */
  readonly #replacements = new Set<NodeJS.Timeout>();
  /** Questions since a worker's last word. */
  readonly #unanswered = new WeakMap<Worker, number>();
  /** From when the first one listens until the stop: who dies is replaced. */
  #settled = false;
  #delay = FIRST_DELAY_MS;
  #asking: NodeJS.Timeout | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  async open(): Promise<Ports | null> {
    gatherMetrics(() => this.#listening);
    const ports = await listeningPorts(this.#start());
    if (ports === null) return null;
    this.#settled = true;
    this.#fill();
    this.#asking = setInterval(() => this.#askAll(), this.#options.askMs ?? ASK_MS).unref();
    return ports;
  }

  async restart(): Promise<boolean> {
    try {
      for (const old of [...this.#alive]) {
        // A stop ends those that it finds, and nobody would end another one.
        if (!this.#settled) return false;
        const fresh = this.#start();
        if ((await listeningPorts(fresh)) === null || !this.#settled) return false;
        // One that died by itself meanwhile has been replaced by the new one.
        if (this.#alive.has(old)) await this.#retire(old);
      }
      return true;
    } finally {
      // A new one that died while there were more than enough was not replaced.
      if (this.#settled) this.#fill();
    }
  }

  async stop(): Promise<void> {
    this.#settled = false;
    // From here on each has its own time to end.
    clearInterval(this.#asking);
    for (const timer of this.#replacements) clearTimeout(timer);
    // worker.kill() would take the connection away first, and with it the listeners of requests in flight.
    const end = (worker: Worker) => untilGone(worker, this.#options.patienceMs, () => worker.process.kill('SIGTERM'));
    await Promise.all([...this.#alive].map(end));
  }

  #fill(): void {
    while (this.#isShort()) this.#start();
  }

  #isShort(): boolean {
    return this.#alive.size + this.#replacements.size < this.#options.count;
  }

  #start(): Worker {
    const worker = cluster.fork();
    const started = performance.now();
    this.#alive.add(worker);
    worker.on('message', (message: Partial<Listening>) => {
      this.#unanswered.delete(worker);
      if (message.listening !== undefined) this.#listening.add(worker);
    });
    worker.once('exit', (code, signal) => {
      this.#alive.delete(worker);
      this.#listening.delete(worker);
      if (this.#retired.delete(worker) || !this.#settled) return;
      // A restart may have started another one in its place.
      if (!this.#isShort()) return;
      const reason = this.#unanswered.get(worker) === MAX_UNANSWERED ? 'it did not answer any more' : signal;
      this.#options.onDeath(worker.process.pid ?? 0, reason ?? `exit code ${code}`);
      this.#replace(performance.now() - started);
    });
    return worker;
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
    return untilGone(worker, this.#options.patienceMs, () => worker.send({ retire: true } satisfies Retire, () => {}));
  }

  #askAll(): void {
    for (const worker of this.#alive) {
      const questions = this.#unanswered.get(worker) ?? 0;
      if (questions === MAX_UNANSWERED) worker.process.kill('SIGKILL');
      else this.#unanswered.set(worker, questions + 1);
      worker.send({ ask: true } satisfies Ask, () => {});
    }
  }
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
