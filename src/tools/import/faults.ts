// Tools: errors in a directory, by file, line and field.
import { PlainError } from '#core/errors.ts';

export interface Fault {
  file: string;
  /** Starting at 1. */
  line: number;
  /** The field of the row; null if the whole line is at fault. */
  field: string | null;
  reason: string;
}

export const MAX_FAULTS = 100;

/** Adds an error of a line, unless there are too many already. */
export const faultOf =
  (faults: Fault[], file: string, line: number) =>
  (field: string | null, reason: string): void => {
    if (faults.length < MAX_FAULTS) faults.push({ file, line, field, reason });
  };

/** The directory as a whole is unusable: it does not exist, is empty, or has an unknown or unreadable file. */
export class DirectoryError extends PlainError {}

/** Rows have errors, and nothing was written. */
export class ImportRefused extends PlainError {
  readonly faults: Fault[];
  /** Whether faults beyond the first MAX_FAULTS were left out. */
  readonly mayBeMore: boolean;
  /** The faults in one line. */
  readonly summary: string;

  constructor(faults: Fault[]) {
    const lines = faults.map(({ file, line, field, reason }) =>
      [`${file}:${line}`, ...(field === null ? [] : [field]), reason].join(': '),
    );
    const mayBeMore = faults.length >= MAX_FAULTS;
    const more = mayBeMore ? ` (the first ${MAX_FAULTS})` : '';
    const summary = `${faults.length} fault(s)${more}, nothing was written`;
    super(`${summary}\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ImportRefused';
    this.faults = faults;
    this.mayBeMore = mayBeMore;
    this.summary = summary;
  }
}
