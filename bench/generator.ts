// Bench: the handle on the load generator's process.
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

/** What a right answer is; anything else ends the bench. */
export interface Expectation {
  status: number;
  /** Bytes of the body. */
  least: number;
  most: number;
  /** Answers 200 that are right besides. */
  mayAdmit: number;
}

/** Requests that are sent in turn. */
export interface Round {
  origin: string;
  requests: PreparedRequest[];
  /** Whether each caller goes on along `next` of the Link header before it takes the next request. */
  follow: boolean;
  /** The portfolio each request asks for, where one request in a hundred is followed by a write to it. */
  writeTo: string[] | null;
}

export type Order =
  | ({ kind: 'prepare'; id: number } & Round)
  | {
      kind: 'slice';
      id: number;
      concurrency: number;
      milliseconds: number;
      /** Requests after which it ends in any case. */
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

  /** The database takes the writes that belong to a work. */
  constructor(databaseUrl: string) {
    const program = fileURLToPath(new URL('./load.ts', import.meta.url));
    this.#child = spawn('taskset', ['-c', `${SERVERS_CORE}`, process.execPath, program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
      env: { ...process.env, DATABASE_URL: databaseUrl },
    });
  }

  /** Hands over what is to be sent. Returns the number it goes by. */
  prepare(round: Round): number {
    const id = this.#prepared++;
    this.#child.send({ kind: 'prepare', id, ...round } satisfies Order);
    return id;
  }

  /** Sends for the time given and waits for the last answer, which belongs to the slice. Throws for a wrong answer. */
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
