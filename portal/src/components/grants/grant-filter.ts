// Components: which items a grant covers, in words.
import type { FilterTermsFragment } from '../../generated/operations.ts';
import { list } from '../locale.ts';
import { isolated } from '../names.ts';
import { countOf } from '../numbers.tsx';

/** `All items`, `Watches and Art`, `34 chosen items`, `The collection “Kyoto storehouse”`. */
export function filterText({ type, categories, itemCount, collection }: FilterTermsFragment): string {
  switch (type) {
    case 'all':
      return 'All items';
    case 'category':
      return list.format((categories ?? []).map(({ name }) => name));
    case 'items':
      return itemCount === null ? 'Chosen items' : countOf(itemCount, 'chosen item');
    case 'collection':
      return collection === null ? 'One collection' : `The collection “${isolated(collection.name ?? 'deleted')}”`;
    default:
      return type;
  }
}
