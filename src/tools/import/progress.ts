// Tools: what long work tells the terminal, or whoever else listens.

export type ProgressUnit = 'bytes' | 'rows' | 'checks';

export interface Progress {
  /** A new phase begins; `total` in `unit`s. */
  phase(name: string, total: number, unit: ProgressUnit): void;
  /** So much of the phase is done. */
  reached(done: number): void;
}

export const SILENT: Progress = { phase: () => {}, reached: () => {} };
