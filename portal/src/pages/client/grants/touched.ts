// Client: the operations whose answers become stale when a grant changes.
import {
  Connection,
  Connections,
  ConsentHistory,
  GrantCounts,
  KeySummary,
  Preview,
} from '../../../generated/operations.ts';

export const TOUCHED = [Connections, Connection, GrantCounts, ConsentHistory, KeySummary, Preview] as const;
