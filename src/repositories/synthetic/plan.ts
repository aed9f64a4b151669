// Repositories: amount and kind of synthetic data.
import type { Environment } from '#core/principal.ts';

export interface GeneratePlan {
  clients: number;
  items: number;
  /** A whole number. A database can have at most one set of data for each seed. */
  seed: number;
  /** Per item. */
  valuations: number;
  /** Per item. */
  documents: number;
  environment: Environment;
  platformPrefix: string;
}
