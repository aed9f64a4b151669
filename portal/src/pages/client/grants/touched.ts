// Client: the operations whose results become stale when a grant changes.
import {
  ClientGrantDetail,
  ClientGrants,
  ConsentFirms,
  ConsentHistory,
  GrantCounts,
  KeySummary,
  Preview,
} from '../../../generated/operations.ts';

export const TOUCHED = [
  ClientGrants,
  ClientGrantDetail,
  GrantCounts,
  ConsentHistory,
  ConsentFirms,
  KeySummary,
  Preview,
] as const;
