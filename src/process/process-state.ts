// Process: the state of this process as operations see it.
import type { ProcessState } from '#gateway/operations/process-state.ts';

export class ProcessStateHolder {
  readonly #startedAt = new Date().toISOString();
  #limiter: ProcessState['limiter'] = { since: this.#startedAt, reason: null };
  /** Replaced once the recorder and the replicas exist. */
  records: () => ProcessState['records'] = () => ({ waiting: 0, saved: 0 });
  replicas: () => ProcessState['replicas'] = () => [];

  /** `cause` is the failure of Redis, if there was one. */
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
