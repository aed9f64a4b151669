// Firm: the options of a filter by key.
import { filterOptions } from '../../../components/table/filter-options.ts';
import { KeyChoices } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';

/** `value`: id of the chosen key. */
export function useKeyFilter(value: string | null) {
  const { data = [] } = useRead(KeyChoices, {});
  const keys = data.map(({ id, name }) => ({ value: id, label: name }));
  return filterOptions(value, keys, { all: 'All keys', chosen: 'The chosen key' });
}
