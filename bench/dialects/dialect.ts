// Bench: how a contestant is asked for what a work wants.
import type { DataSet } from '../data.ts';
import type { PreparedRequest } from '../generator.ts';
import type { Target } from '../works.ts';

export interface Dialect {
  request(target: Target, data: DataSet): PreparedRequest;
  /** The ids of the assets in an answer, in order; null where answers are compared byte for byte. */
  idsIn: ((body: string) => string[]) | null;
}
