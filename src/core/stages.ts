// Core: in which of its stages a request spent its time.

/** In the order in which a request comes to them. `database` is in others: how long they waited for statements. */
export const STAGES = ['identify', 'limit', 'admit', 'execute', 'database', 'represent'] as const;
export type Stage = (typeof STAGES)[number];
/** Those that follow one another. */
export type Step = Exclude<Stage, 'database'>;

/** Something that a request did or waited for, from and to `performance.now()`. */
export interface Span {
  what: 'stage' | 'postgresql' | 'redis';
  /** A stage, or what a statement or script is called: never its text or values. */
  name: string;
  began: number;
  ended: number;
  failed: boolean;
}

/** The clock of one request. A stage costs one look at the time, and nothing is kept of it but its sum, unless traced. */
export class StageTimes {
  readonly began: number = performance.now();
  /** Milliseconds by stage; 0 where the request did not come to it. */
  readonly spent: Record<Stage, number> = { identify: 0, limit: 0, admit: 0, execute: 0, database: 0, represent: 0 };
  /** All of it in the order in which it ended; null where nobody traces. */
  readonly spans: Span[] | null;
  /** What GraphQL executed, where it did. */
  operation: string | null = null;
  ended = 0;
  #step: Step = 'identify';
  #since = this.began;
  #waits = 0;
  #waitingSince = 0;

  constructor(traced: boolean) {
    this.spans = traced ? [] : null;
  }

  /** Ends the present stage. Returns it, for whoever comes back to it. */
  enter(step: Step): Step {
    const now = performance.now();
    const left = this.#step;
    this.#leave(now);
    this.#step = step;
    this.#since = now;
    return left;
  }

  /** Begins to execute a GraphQL operation of this name. */
  execute(operation: string): void {
    this.operation = operation;
    this.enter('execute');
  }

  end(): void {
    this.ended = performance.now();
    this.#leave(this.ended);
  }

  /** Takes `waiting` for a statement into account. Those that are waited for at the same time count once. */
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
      this.spans?.push({ what: 'postgresql', name, began, ended, failed });
    }
  }

  #leave(now: number): void {
    this.spent[this.#step] += now - this.#since;
    this.spans?.push({ what: 'stage', name: this.#step, began: this.#since, ended: now, failed: false });
  }
}
