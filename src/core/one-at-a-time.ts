// Core: work that is not begun again while it goes on.

export interface OneAtATime {
  /** Begins the work, unless it goes on; settles with it. */
  run(): Promise<void>;
  /** Settles with what goes on, if anything does. */
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
