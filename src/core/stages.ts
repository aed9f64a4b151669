// Core: in which of its stages a request spent its time.

/** In the order in which a request comes to them. `database` is in others: how long they waited for statements. */
export const STAGES = ['identify', 'limit', 'admit', 'execute', 'database', 'represent'] as const;
export type Stage = (typeof STAGES)[number];
/** Those that follow one another. */
export type Step = Exclude<Stage, 'database'>;

const MAX_NOTES = 100;

/**
 * What a request did from when to when, in the order in which it ended: stages, and waits for `postgresql` and `redis` under
 * what they are called, never with a text or a value. Kept flat and used again: most of them nobody looks at.
 */
export class Notes {
  count = 0;
  /** A stage, or what was waited for. */
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

/** The clock of one request. A stage costs one look at the time, and nothing is kept of it but its sum, unless traced. */
export class StageTimes {
  readonly began: number = performance.now();
  /** Milliseconds by stage; 0 where the request did not come to it. */
  readonly spent: Record<Stage, number> = { identify: 0, limit: 0, admit: 0, execute: 0, database: 0, represent: 0 };
  /** Null where nobody traces. */
  notes: Notes | null;
  /** What GraphQL executed, where it did. */
  operation: string | null = null;
  ended = 0;
  #step: Step = 'identify';
  #since = this.began;
  #waits = 0;
  #waitingSince = 0;

  constructor(traced: boolean) {
    this.notes = traced ? (unused.pop() ?? new Notes()) : null;
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

  /** The present stage has waited for Redis, from its beginning until now. */
  waitedForRedis(name: string): void {
    this.notes?.add('redis', name, this.#since, performance.now(), false);
  }

  /** What was noted is not wanted any more; whatever ends later is not noted. */
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
      this.notes?.add('postgresql', name, began, ended, failed);
    }
  }

  #leave(now: number): void {
    this.spent[this.#step] += now - this.#since;
    this.notes?.add('stage', this.#step, this.#since, now, false);
  }
}
