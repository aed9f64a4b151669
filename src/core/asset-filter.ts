// Core: which of a client's items a grant covers.
import { MAX_FILTER_ITEMS } from './filter-size.ts';
import { isId, isRegistryId } from './ids.ts';
import { isJsonObject } from './json-object.ts';

export type AssetFilter =
  | { type: 'all' }
  | { type: 'category'; categories: string[] }
  | { type: 'items'; items: string[] }
  | { type: 'collection'; collection: string };

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'string');

const unique = (values: string[]): string[] => [...new Set(values)].sort();

/**
 * Reads a filter from its JSON form. Lists are deduplicated and sorted, so that equal filters have equal text. For an
 * invalid filter, returns a sentence that says what is wrong. Whether the categories, items and the collection exist
 * and belong to the client is checked by the database.
 */
export function parseAssetFilter(value: unknown): AssetFilter | string {
  if (!isJsonObject(value)) return 'a filter is a JSON object';
  const { type, ...rest } = value;
  const members = Object.keys(rest);
  const only = (name: string) => members.length === 1 && members[0] === name;
  switch (type) {
    case 'all':
      return members.length === 0 ? { type } : 'the filter "all" has no other members';
    case 'category':
      if (!only('categories') || !isTextList(rest.categories))
        return 'the filter "category" needs a list "categories" of one or more';
      return { type, categories: unique(rest.categories) };
    case 'items': {
      if (!only('items') || !isTextList(rest.items)) return 'the filter "items" needs a list "items" of one or more';
      const wrong = rest.items.find((item) => !isRegistryId(item));
      if (wrong !== undefined) return `"${wrong}" is not a registry id`;
      if (rest.items.length > MAX_FILTER_ITEMS) return `a filter names at most ${MAX_FILTER_ITEMS} items`;
      return { type, items: unique(rest.items) };
    }
    case 'collection':
      if (!only('collection') || typeof rest.collection !== 'string' || !isId('collection', rest.collection))
        return 'the filter "collection" needs a collection id "collection"';
      return { type, collection: rest.collection };
    default:
      return 'a filter has the type "all", "category", "items" or "collection"';
  }
}
