// The composition root's memory of this process, for those who look at how it is.
import type { ProcessState } from '#gateway/operations/process-state.ts';

export class ProcessStateHolder {
  readonly #startedAt = new Date().toISOString();
  #limiter: ProcessState['limiter'] = { since: this.#startedAt, reason: null };
  /** Set once there is something to ask. */
  records: () => ProcessState['records'] = () => ({ waiting: 0, saved: 0 });
  replicas: () => ProcessState['replicas'] = () => [];

  /** `cause` is what made Redis unusable, where something did. */
  limiterChanged(cause: Error | undefined): void {
    this.#limiter = { since: new Date().toISOString(), reason: cause?.message ?? null };
  }

  state = (): ProcessState => ({
    startedAt: this.#startedAt,
    limiter: this.#limiter,
    records: this.records(),
    replicas: this.replicas(),
  });
}
