// Tools: what is wrong with a directory, named by file, line and field.
import { PlainError } from '#core/errors.ts';

export interface Fault {
  file: string;
  /** From 1. */
  line: number;
  /** The field of the row; null where the line as a whole is at fault. */
  field: string | null;
  reason: string;
}

export const MAX_FAULTS = 100;

/** Adds what is wrong with a line, unless there are too many faults already. */
export const faultOf =
  (faults: Fault[], file: string, line: number) =>
  (field: string | null, reason: string): void => {
    if (faults.length < MAX_FAULTS) faults.push({ file, line, field, reason });
  };

/** The directory as a whole cannot be read: not there, nothing in it, a file that nobody knows. */
export class DirectoryError extends PlainError {}

/** The rows have faults, and nothing was written. */
export class ImportRefused extends PlainError {
  readonly faults: Fault[];

  constructor(faults: Fault[]) {
    const lines = faults.map(({ file, line, field, reason }) =>
      [`${file}:${line}`, ...(field === null ? [] : [field]), reason].join(': '),
    );
    const more = faults.length >= MAX_FAULTS ? ` (the first ${MAX_FAULTS})` : '';
    super(`${faults.length} fault(s)${more}, nothing was written\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ImportRefused';
    this.faults = faults;
  }
}
