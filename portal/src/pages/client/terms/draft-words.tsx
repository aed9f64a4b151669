// Client: a draft in a sentence, beside the button that gives it.
import { Text } from '@mantine/core';
import { countOf } from '../../../components/numbers.tsx';
import { dateText } from '../../../components/time.tsx';
import { effectiveScopes, seenText } from '../plain-words.ts';
import { type Draft, type ItemsDraft, isComplete } from './draft.ts';

export function DraftWords({ draft, keyScopes }: { draft: Draft; keyScopes: readonly string[] }) {
  const scopes = effectiveScopes(draft.scopes, keyScopes);
  const end = draft.expiresAt === null ? 'until you revoke it' : `until ${dateText(draft.expiresAt)}`;
  return (
    <Text size="sm">
      They see <strong>{lower(seenText(scopes))}</strong> of <strong>{itemsText(draft.items)}</strong>, {end}.
    </Text>
  );
}

function itemsText(items: ItemsDraft): string {
  if (!isComplete(items)) return 'no item yet';
  switch (items.type) {
    case 'all':
      return 'all items';
    case 'category':
      return countOf(items.categories.length, 'category', 'categories');
    case 'collection':
      return 'one collection';
    case 'items':
      return countOf(items.items.size, 'chosen item');
    default:
      return items.type satisfies never;
  }
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
