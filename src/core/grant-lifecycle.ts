// Core: the life cycle of a grant: its states, the transitions between them, and who may make them.
import type { ActorKind } from './actor.ts';
import type { AssetFilter } from './asset-filter.ts';
import { refuse } from './errors.ts';
import type { ScopeSet } from './scopes.ts';

export const GRANT_STATES = ['pending', 'active', 'revoked', 'expired', 'declined', 'withdrawn'] as const;
export type GrantState = (typeof GRANT_STATES)[number];

interface TransitionRule {
  /** Null: the transition creates the grant. */
  from: GrantState | null;
  to: GrantState;
  by: readonly ActorKind[];
}

/** An operator acts for the client, a firm's member for the firm's test client. The system only records expiry. */
export const GRANT_TRANSITIONS = {
  request: { from: null, to: 'pending', by: ['firm_member'] },
  grant: { from: null, to: 'active', by: ['client', 'operator'] },
  approve: { from: 'pending', to: 'active', by: ['client', 'member_as_test_client'] },
  decline: { from: 'pending', to: 'declined', by: ['client'] },
  withdraw: { from: 'pending', to: 'withdrawn', by: ['firm_member'] },
  change: { from: 'active', to: 'active', by: ['client', 'operator', 'member_as_test_client'] },
  revoke: { from: 'active', to: 'revoked', by: ['client', 'operator', 'member_as_test_client'] },
  expire: { from: 'active', to: 'expired', by: ['system'] },
} as const satisfies Record<string, TransitionRule>;

export type GrantTransition = keyof typeof GRANT_TRANSITIONS;

/**
 * The state after the transition. `from` is null for a grant that does not exist yet. Throws `forbidden` where the
 * actor may never make the transition, `invalid_transition` where the state does not allow it.
 */
export function nextGrantState(from: GrantState | null, transition: GrantTransition, by: ActorKind): GrantState {
  const rule: TransitionRule = GRANT_TRANSITIONS[transition];
  if (!rule.by.includes(by)) refuse('forbidden', `The step "${transition}" is not this caller's.`);
  if (rule.from !== from) {
    const state = from === null ? 'does not exist yet' : `is ${from}`;
    refuse('invalid_transition', `The step "${transition}" is not possible: the grant ${state}.`);
  }
  return rule.to;
}

/** What a grant allows, and until when. */
export interface GrantTerms {
  scopes: ScopeSet;
  filter: AssetFilter;
  /** RFC 3339 in UTC with milliseconds, as from parseTimestamp; null: until revoked. */
  expiresAt: string | null;
}

/**
 * Whether the approved terms stay within those requested (equal terms do), judged by the terms alone. Whether items lie
 * within requested categories or a requested collection is decided by the database: see `isWithinRequest`.
 */
export function isNarrower(approved: GrantTerms, requested: GrantTerms): boolean {
  return (
    (approved.scopes & ~requested.scopes) === 0 &&
    isNarrowerFilter(approved.filter, requested.filter) &&
    (requested.expiresAt === null || (approved.expiresAt !== null && approved.expiresAt <= requested.expiresAt))
  );
}

/** Items never count as narrower than a category or collection here: the filter does not say what those contain. */
function isNarrowerFilter(approved: AssetFilter, requested: AssetFilter): boolean {
  switch (requested.type) {
    case 'all':
      return true;
    case 'category':
      return approved.type === 'category' && isSubset(approved.categories, requested.categories);
    case 'items':
      return approved.type === 'items' && isSubset(approved.items, requested.items);
    case 'collection':
      return approved.type === 'collection' && approved.collection === requested.collection;
    default:
      return requested satisfies never;
  }
}

function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  const set = new Set(whole);
  return part.every((entry) => set.has(entry));
}
