// Core: work that never runs twice at the same time.

export interface OneAtATime {
  /** Starts the work, or joins the run in progress. Settles with it. */
  run(): Promise<void>;
  /** Settles with the run in progress, if any. */
  idle(): Promise<void>;
  isGoing(): boolean;
}

export function oneAtATime(work: () => Promise<void>): OneAtATime {
  let going: Promise<void> | null = null;
  return {
    run() {
      going ??= work().finally(() => {
        going = null;
      });
      return going;
    },
    idle: () => going ?? Promise.resolve(),
    isGoing: () => going !== null,
  };
}
