// Components: which items a grant covers, in words.
import { list } from '../locale.ts';
import { isolated } from '../names.ts';
import { countOf } from '../numbers.tsx';

export interface FilterSummary {
  type: string;
  categories: readonly { code: string; name: string }[] | null;
  itemCount: number | null;
  collection: { id: string; name: string | null; itemCount: number } | null;
}

/** `All items`, `Watches and Art`, `34 chosen items`, `The collection “Kyoto storehouse”`. */
export function filterText({ type, categories, itemCount, collection }: FilterSummary): string {
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
