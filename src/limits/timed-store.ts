// Limits: measures how long Redis takes.
import type { SharedStore } from './redis-limiter.ts';

/** Label values of a metric. */
type Command = 'decide' | 'tell' | 'beat';

/** `milliseconds` until Redis answered or failed, even where the caller gave up before. */
export type OnAnswer = (command: Command, milliseconds: number, failed: boolean) => void;

/** The store with `onAnswer` called for each call. */
export function timedStore(store: SharedStore, onAnswer: OnAnswer): SharedStore {
  const timed = <Answer>(command: Command, answer: Promise<Answer>): Promise<Answer> => {
    const began = performance.now();
    const record = (failed: boolean) => onAnswer(command, performance.now() - began, failed);
    answer.then(
      () => record(false),
      () => record(true),
    );
    return answer;
  };
  return {
    decide: (mode, subjects) => timed('decide', store.decide(mode, subjects)),
    report: (subject, report) => timed('tell', store.report(subject, report)),
    beat: (beat) => timed('beat', store.beat(beat)),
  };
}
