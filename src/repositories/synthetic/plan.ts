// Repositories: how much synthetic data, and which.
import type { Environment } from '#core/principal.ts';

export interface GeneratePlan {
  clients: number;
  items: number;
  /** A whole number; of one seed there is at most one set of data in a database. */
  seed: number;
  /** Of each item. */
  valuations: number;
  /** Of each item. */
  documents: number;
  environment: Environment;
  platformPrefix: string;
}
