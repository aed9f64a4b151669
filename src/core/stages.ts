// Core: how long a request spent in each of its stages.

/** In the order of processing. `database` overlaps with the others: it is the time spent waiting for statements. */
export const STAGES = ['identify', 'limit', 'admit', 'execute', 'database', 'represent'] as const;
export type Stage = (typeof STAGES)[number];
/** The stages that follow one another. */
export type Step = Exclude<Stage, 'database'>;

const MAX_NOTES = 100;

/** A span of a request. Names never contain SQL text or values. Times are by `performance.now()`. */
export interface Note {
  /** A stage, or a wait for a server. */
  what: 'stage' | 'postgresql' | 'redis';
  name: string;
  began: number;
  ended: number;
  failed: boolean;
}

/** The stage clock of one request. A change of stage reads the time once. Single spans are only kept for traces. */
export class StageTimes {
  readonly began: number = performance.now();
  /** Milliseconds by stage; 0 for stages not reached. */
  readonly spent: Record<Stage, number> = { identify: 0, limit: 0, admit: 0, execute: 0, database: 0, represent: 0 };
  /** In the order in which they ended. Null when the request is not traced. */
  readonly notes: Note[] | null;
  /** The GraphQL operation executed, if any. */
  operation: string | null = null;
  ended = 0;
  #step: Step = 'identify';
  #since = this.began;
  #waits = 0;
  #waitingSince = 0;

  constructor(traced: boolean) {
    this.notes = traced ? [] : null;
  }

  /** Enters a stage and returns the previous one, so that a caller can go back to it. */
  enter(step: Step): Step {
    const now = performance.now();
    const left = this.#step;
    this.#leave(now);
    this.#step = step;
    this.#since = now;
    return left;
  }

  /** Enters the stage `execute` for the GraphQL operation of this name. */
  execute(operation: string): void {
    this.operation = operation;
    this.enter('execute');
  }

  /** Notes the time since the present stage began as a wait for Redis. */
  waitedForRedis(name: string): void {
    this.note('redis', name, this.#since, performance.now());
  }

  /** Where the request is traced. */
  note(what: Note['what'], name: string, began: number, ended: number, failed = false): void {
    if (this.notes !== null && this.notes.length < MAX_NOTES) this.notes.push({ what, name, began, ended, failed });
  }

  end(): void {
    this.ended = performance.now();
    this.#leave(this.ended);
  }

  /** Measures the wait for a statement. Concurrent waits count once in `spent.database`. */
  async statement<Result>(name: string, waiting: Promise<Result>): Promise<Result> {
    const began = performance.now();
    if (this.#waits++ === 0) this.#waitingSince = began;
    let failed = true;
    try {
      const result = await waiting;
      failed = false;
      return result;
    } finally {
      const ended = performance.now();
      if (--this.#waits === 0) this.spent.database += ended - this.#waitingSince;
      this.note('postgresql', name, began, ended, failed);
    }
  }

  #leave(now: number): void {
    this.spent[this.#step] += now - this.#since;
    this.note('stage', this.#step, this.#since, now);
  }
}
