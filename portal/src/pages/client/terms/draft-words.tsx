// Client: a draft as a sentence, beside the button that grants it.
import { Text } from '@mantine/core';
import { effectiveScopes, idleScopes } from '../../../components/grants/scopes.tsx';
import { list } from '../../../components/locale.ts';
import { countOf } from '../../../components/numbers.tsx';
import { endText } from '../../../components/time.tsx';
import { OwnCategories } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { lower, scopesText } from '../plain-words.ts';
import { type Draft, type ItemsDraft, isComplete } from './draft.ts';

export function DraftSummary({ draft, keyScopes }: { draft: Draft; keyScopes: readonly string[] }) {
  const both = { scopes: draft.scopes, keyScopes };
  const idle = idleScopes(both);
  const { data: categories = [] } = useRead(OwnCategories, {}, { enabled: draft.items.type === 'category' });
  const nameOf = (code: string) => categories.find((category) => category.code === code)?.name ?? code;
  return (
    <Text size="sm">
      They see <strong>{lower(scopesText(effectiveScopes(both)))}</strong> of{' '}
      <strong>{itemsText(draft.items, nameOf)}</strong>, {untilText(draft.expiresAt)}.
      {idle.length > 0 && ` You also allow the following, which this key cannot read: ${lower(scopesText(idle))}.`}
    </Text>
  );
}

function untilText(at: string | null): string {
  if (at === null) return 'until you revoke it';
  return at === '' ? 'until a day that is still to be chosen' : `until ${endText(at)}`;
}

/** With the names of categories. */
function itemsText(items: ItemsDraft, nameOf: (code: string) => string): string {
  if (!isComplete(items)) return 'no item yet';
  switch (items.type) {
    case 'all':
      return 'all items';
    case 'category':
      return list.format(items.categories.map(nameOf));
    case 'collection':
      return 'one collection';
    case 'items':
      return countOf(items.items.size, 'chosen item');
    default:
      return items.type satisfies never;
  }
}
