// Firm: the options of a filter by key.
import { filterOptions } from '../../../components/table/filter-options.ts';
import { KeyChoices } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { keyLabel } from './key-label.ts';

/** `value`: id of the chosen key. */
export function useKeyFilter(value: string | null) {
  const { data = [] } = useRead(KeyChoices, {});
  const keys = data.map((key) => ({ value: key.id, label: keyLabel(key) }));
  return filterOptions(value, keys, { all: 'All keys', chosen: 'The chosen key' });
}
