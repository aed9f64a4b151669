// The composition root's memory of this process, for those who look at how it is.
import type { ProcessState } from '#gateway/operations/process-state.ts';

export class ProcessStateHolder {
  readonly #startedAt = new Date().toISOString();
  #limiter: ProcessState['limiter'] = { since: this.#startedAt, reason: null };
  #saved = 0;
  /** Set once there is something to ask. */
  recordsWaiting: () => number = () => 0;
  replicas: () => ProcessState['replicas'] = () => [];

  /** `cause` is what made Redis unusable, where something did. */
  limiterChanged(cause: Error | undefined): void {
    this.#limiter = { since: new Date().toISOString(), reason: cause?.message ?? null };
  }

  recordsSaved(count: number): void {
    this.#saved += count;
  }

  state = (): ProcessState => ({
    startedAt: this.#startedAt,
    limiter: this.#limiter,
    records: { waiting: this.recordsWaiting(), saved: this.#saved },
    replicas: this.replicas(),
  });
}
