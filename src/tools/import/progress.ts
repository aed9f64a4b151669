// Tools: the progress of long work, for display at a terminal.

export type ProgressUnit = 'bytes' | 'rows' | 'checks';

export interface Progress {
  /** Starts a phase; `total` is in `unit`s. */
  phase(name: string, total: number, unit: ProgressUnit): void;
  /** Reports how much of the phase is done. */
  reached(done: number): void;
}

export const SILENT: Progress = { phase: () => {}, reached: () => {} };
