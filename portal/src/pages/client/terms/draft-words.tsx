// Client: a draft as a sentence, beside the button that grants it.
import { Text } from '@mantine/core';
import { lowerFirst } from '#core/first-letter.ts';
import { effectiveScopes, idleScopes } from '../../../components/grants/scopes.tsx';
import { list } from '../../../components/locale.ts';
import { countOf } from '../../../components/numbers.tsx';
import { endText } from '../../../components/time.tsx';
import { Categories, type CategoriesQuery } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { scopesText } from '../plain-words.ts';
import { type Draft, type ItemsDraft, isComplete } from './draft.ts';

export function DraftSummary({ draft, keyScopes }: { draft: Draft; keyScopes: readonly string[] }) {
  const both = { scopes: draft.scopes, keyScopes };
  const idle = idleScopes(both);
  // Not only those of the client's items: a request may name others.
  const { data: categories } = useRead(Categories, {}, { enabled: draft.items.type === 'category' });
  return (
    <Text size="sm">
      They see <strong>{lowerFirst(scopesText(effectiveScopes(both)))}</strong> of{' '}
      <strong>{itemsText(draft.items, categories)}</strong>, {untilText(draft.expiresAt)}.
      {idle.length > 0 && ` You also allow the following, which this key cannot read: ${lowerFirst(scopesText(idle))}.`}
    </Text>
  );
}

function untilText(at: string | null): string {
  if (at === null) return 'until you revoke it';
  return at === '' ? 'until a day that is still to be chosen' : `until ${endText(at)}`;
}

/** `categories`: all of them, by name; undefined while they are loading. */
function itemsText(items: ItemsDraft, categories: CategoriesQuery['body'] | undefined): string {
  if (!isComplete(items)) return 'no item yet';
  switch (items.type) {
    case 'all':
      return 'all items';
    case 'category':
      if (categories === undefined) return 'the chosen categories';
      return list.format(
        items.categories.map((code) => categories.find((category) => category.code === code)?.name ?? code),
      );
    case 'collection':
      return 'one collection';
    case 'items':
      return countOf(items.items.size, 'chosen item');
    default:
      return items.type satisfies never;
  }
}
