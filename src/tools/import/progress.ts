// Tools: the progress of long work, as the terminal shows it.

export type ProgressUnit = 'bytes' | 'rows' | 'checks';

export interface Progress {
  /** A new phase begins; `total` in `unit`s. */
  phase(name: string, total: number, unit: ProgressUnit): void;
  /** So much of the phase is done. */
  reached(done: number): void;
}

export const SILENT: Progress = { phase: () => {}, reached: () => {} };
