// Bench: how a contestant is queried for a work.
import type { DataSet } from '../data.ts';
import type { PreparedRequest } from '../generator.ts';
import type { Target } from '../works.ts';

export interface Dialect {
  request(target: Target, data: DataSet): PreparedRequest;
  /** The ids of the assets in an answer, in order; null if answers are compared byte by byte. */
  idsIn: ((body: string) => string[]) | null;
}
