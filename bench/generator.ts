// Bench: controls the load generator's process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SERVERS_CORE } from './servers.ts';

export interface PreparedRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** A correct answer. Any other aborts the bench. */
export interface Expectation {
  status: number;
  /** Range of the body's size in bytes. */
  least: number;
  most: number;
  /** Number of answers with status 200 that are also correct. */
  mayAdmit: number;
}

/** Requests that are sent in turn. */
export interface Round {
  origin: string;
  requests: PreparedRequest[];
  /** Whether each caller follows `next` of the Link header before its next request. */
  follow: boolean;
  /** The portfolio of each request, if one request in a hundred is followed by a write to it; otherwise null. */
  writeTo: string[] | null;
}

export type Order =
  | ({ kind: 'prepare'; id: number } & Round)
  | {
      kind: 'slice';
      id: number;
      concurrency: number;
      milliseconds: number;
      /** Maximum number of requests. */
      most: number;
      expect: Expectation;
    };

export interface SliceResult {
  requests: number;
  seconds: number;
  /** Milliseconds. */
  latencies: Float32Array;
  /** CPU of the generator itself. */
  generatorSeconds: number;
  fault: string | null;
}

export class Generator {
  readonly #child: ChildProcess;
  #prepared = 0;

  /** The database receives the writes of works that have some. */
  constructor(databaseUrl: string) {
    const program = fileURLToPath(new URL('./load.ts', import.meta.url));
    this.#child = spawn('taskset', ['-c', `${SERVERS_CORE}`, process.execPath, program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
      env: { ...process.env, DATABASE_URL: databaseUrl },
    });
  }

  /** Sends a round to the generator. Returns its number. */
  prepare(round: Round): number {
    const id = this.#prepared++;
    this.#child.send({ kind: 'prepare', id, ...round } satisfies Order);
    return id;
  }

  /**
   * Sends requests for the given time, and waits for the last answer, which is part of the slice. Throws for a wrong
   * answer.
   */
  async slice(order: Omit<Extract<Order, { kind: 'slice' }>, 'kind'>, of: string): Promise<SliceResult> {
    this.#child.send({ kind: 'slice', ...order } satisfies Order);
    const [result] = (await once(this.#child, 'message')) as [SliceResult];
    if (result.fault !== null) throw new Error(`${of}: ${result.fault}`);
    return result;
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
