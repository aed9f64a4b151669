// Core: work that never runs twice at the same time.

export interface OneAtATime {
  /** Starts the work, or joins the run in progress. Settles with it. */
  run(): Promise<void>;
  /** Settles with the run in progress, if any. */
  idle(): Promise<void>;
  isRunning(): boolean;
}

export function oneAtATime(work: () => Promise<void>): OneAtATime {
  let running: Promise<void> | null = null;
  return {
    run() {
      running ??= work().finally(() => {
        running = null;
      });
      return running;
    },
    idle: () => running ?? Promise.resolve(),
    isRunning: () => running !== null,
  };
}
