// Client: what becomes stale when a grant takes a step.
import {
  Connection,
  Connections,
  ConsentHistory,
  GrantCounts,
  KeyCard,
  Preview,
} from '../../../generated/operations.ts';

export const TOUCHED = [Connections, Connection, GrantCounts, ConsentHistory, KeyCard, Preview] as const;
