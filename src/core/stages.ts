// Core: how long a request spent in each of its stages.

/** In the order of processing. `database` overlaps with the others: it is the time spent waiting for statements. */
export const STAGES = ['identify', 'limit', 'admit', 'execute', 'database', 'represent'] as const;
export type Stage = (typeof STAGES)[number];
/** The stages that follow one another. */
export type Step = Exclude<Stage, 'database'>;

const MAX_NOTES = 100;

/**
 * The spans of a request, in the order in which they ended: stages, and waits for `postgresql` and `redis`. Names never
 * contain SQL text or values. Flat arrays that are reused, because most notes are never read.
 */
export class Notes {
  count = 0;
  /** What the span is: a stage, or a wait for a server. */
  readonly what: string[] = [];
  readonly names: string[] = [];
  readonly failed: boolean[] = [];
  /** By `performance.now()`. */
  readonly began = new Float64Array(MAX_NOTES);
  readonly ended = new Float64Array(MAX_NOTES);

  add(what: 'stage' | 'postgresql' | 'redis', name: string, began: number, ended: number, failed: boolean): void {
    const at = this.count;
    if (at === MAX_NOTES) return;
    this.what[at] = what;
    this.names[at] = name;
    this.failed[at] = failed;
    this.began[at] = began;
    this.ended[at] = ended;
    this.count = at + 1;
  }
}

const MAX_UNUSED = 1_000;
const unused: Notes[] = [];

/** The stage clock of one request. A change of stage reads the time once. Single spans are only kept for traces. */
export class StageTimes {
  readonly began: number = performance.now();
  /** Milliseconds by stage; 0 for stages not reached. */
  readonly spent: Record<Stage, number> = { identify: 0, limit: 0, admit: 0, execute: 0, database: 0, represent: 0 };
  /** Null when the request is not traced. */
  notes: Notes | null;
  /** The GraphQL operation executed, if any. */
  operation: string | null = null;
  ended = 0;
  #step: Step = 'identify';
  #since = this.began;
  #waits = 0;
  #waitingSince = 0;

  constructor(traced: boolean) {
    this.notes = traced ? (unused.pop() ?? new Notes()) : null;
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
    this.notes?.add('redis', name, this.#since, performance.now(), false);
  }

  /** Discards the notes. Spans that end later are not noted. */
  forget(): void {
    if (this.notes === null) return;
    this.notes.count = 0;
    if (unused.length < MAX_UNUSED) unused.push(this.notes);
    this.notes = null;
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
      this.notes?.add('postgresql', name, began, ended, failed);
    }
  }

  #leave(now: number): void {
    this.spent[this.#step] += now - this.#since;
    this.notes?.add('stage', this.#step, this.#since, now, false);
  }
}
