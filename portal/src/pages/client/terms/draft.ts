// Client: the draft of a grant's terms: scopes, items and end.
import { MAX_FILTER_ITEMS } from '#core/filter-size.ts';
import { expiryFault } from '../../../components/expiry-fault.ts';
import { countText } from '../../../components/numbers.tsx';
import { isSame } from '../../../components/same.ts';
import type { ClientGrantDetailQuery, GrantFilterInput } from '../../../generated/operations.ts';

export type FilterType = 'all' | 'category' | 'collection' | 'items';

/** Choices for a type are kept while another type is selected. */
export interface ItemsDraft {
  type: FilterType;
  /** Codes. */
  categories: readonly string[];
  /** Registry ids, in the order of choosing. */
  items: ReadonlySet<string>;
  collection: string | null;
}

export interface Draft {
  scopes: readonly string[];
  items: ItemsDraft;
  /** RFC 3339; null until revoked; empty if a day is still to be chosen. */
  expiresAt: string | null;
}

/** A filter as returned by the endpoint. */
export type GivenFilter = ClientGrantDetailQuery['body']['filter'];

type Terms = Pick<ClientGrantDetailQuery['body'], 'scopes' | 'filter' | 'expiresAt'>;

export const EVERYTHING: ItemsDraft = { type: 'all', categories: [], items: new Set(), collection: null };

export const draftOf = ({ scopes, filter, expiresAt }: Terms): Draft => ({
  scopes,
  expiresAt,
  items: {
    type: filter.type as FilterType,
    categories: filter.categories?.map(({ code }) => code) ?? [],
    items: new Set(filter.registryIds ?? []),
    collection: filter.collection?.id ?? null,
  },
});

/** The filter as the endpoint accepts it. For complete drafts only. */
export function filterInput({ type, categories, items, collection }: ItemsDraft): GrantFilterInput {
  switch (type) {
    case 'all':
      return { type };
    case 'category':
      return { type, categories: [...categories].sort() };
    case 'items':
      return { type, items: [...items] };
    case 'collection':
      return { type, collection };
    default:
      return type satisfies never;
  }
}

/** Whether all choices have been made. */
export function isComplete({ type, categories, items, collection }: ItemsDraft): boolean {
  if (type === 'category') return categories.length > 0;
  if (type === 'items') return items.size > 0;
  return type === 'all' || collection !== null;
}

export interface DraftFaults {
  scopes?: string;
  items?: string;
  expiresAt?: string;
}

const MISSING: Record<FilterType, string> = {
  all: '',
  category: 'Choose at least one category.',
  items: 'Choose at least one item.',
  collection: 'Choose a collection.',
};

/** Errors that prevent the draft from being granted, by part; empty if there are none. */
export function faultsOf(draft: Draft): DraftFaults {
  return {
    ...(draft.scopes.length === 0 ? { scopes: 'Choose what they may see.' } : {}),
    ...itemsFault(draft.items),
    ...endFault(draft.expiresAt),
  };
}

function endFault(at: string | null): DraftFaults {
  const fault = expiryFault(at);
  return fault === null ? {} : { expiresAt: fault };
}

function itemsFault(items: ItemsDraft): DraftFaults {
  if (!isComplete(items)) return { items: MISSING[items.type] };
  if (items.type === 'items' && items.items.size > MAX_FILTER_ITEMS)
    return {
      items: `One grant names at most ${countText(MAX_FILTER_ITEMS)} items; choose categories or a collection instead.`,
    };
  return {};
}

interface DraftChanges {
  scopes?: string[];
  filter?: GrantFilterInput;
  expiresAt?: string | null;
}

/** The differences from the original draft. */
export function changesBetween(before: Draft, after: Draft): DraftChanges {
  return {
    ...(isSame(before.scopes, after.scopes) ? {} : { scopes: [...after.scopes] }),
    ...(sameItems(before.items, after.items) ? {} : { filter: filterInput(after.items) }),
    ...(before.expiresAt === after.expiresAt ? {} : { expiresAt: after.expiresAt }),
  };
}

export const isUnchanged = (changes: DraftChanges): boolean => Object.keys(changes).length === 0;

function sameItems(before: ItemsDraft, after: ItemsDraft): boolean {
  if (before === after) return true;
  if (before.type !== after.type) return false;
  if (after.type !== 'items') return isSame(filterInput(before), filterInput(after));
  return before.items.size === after.items.size && [...after.items].every((item) => before.items.has(item));
}
