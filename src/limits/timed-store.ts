// Limits: measures how long Redis takes.
import type { SharedStore } from './redis-limiter.ts';

/**
 * `command` is the method called; `milliseconds` until Redis answered or failed, even where the caller gave up before.
 */
export type OnAnswer = (command: keyof SharedStore, milliseconds: number, failed: boolean) => void;

/** The store with `onAnswer` called for each call. */
export function timedStore(store: SharedStore, onAnswer: OnAnswer): SharedStore {
  const timed = <Answer>(command: keyof SharedStore, answer: Promise<Answer>): Promise<Answer> => {
    const began = performance.now();
    const told = (failed: boolean) => onAnswer(command, performance.now() - began, failed);
    answer.then(
      () => told(false),
      () => told(true),
    );
    return answer;
  };
  return {
    decide: (mode, asked) => timed('decide', store.decide(mode, asked)),
    tell: (subject, told) => timed('tell', store.tell(subject, told)),
    beat: (beat) => timed('beat', store.beat(beat)),
  };
}
