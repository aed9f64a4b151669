// Client: the operations whose results become stale when a grant changes.
import {
  Connection,
  Connections,
  ConsentFirms,
  ConsentHistory,
  GrantCounts,
  KeySummary,
  Preview,
} from '../../../generated/operations.ts';

export const TOUCHED = [
  Connections,
  Connection,
  GrantCounts,
  ConsentHistory,
  ConsentFirms,
  KeySummary,
  Preview,
] as const;
