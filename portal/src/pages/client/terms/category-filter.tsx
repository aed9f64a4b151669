// Client: a filter of a list of items by the client's categories.
import { NativeSelect } from '@mantine/core';
import { countText } from '../../../components/numbers.tsx';
import { OwnCategories } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import type { ItemBounds } from './item-rows.ts';

interface CategoryFilterProps {
  value: string;
  onChange: (code: string) => void;
  /** The items in the list; empty for all. */
  within: ItemBounds;
}

export function CategoryFilter({
  value,
  onChange,
  within: { categories, collection, registryIds },
}: CategoryFilterProps) {
  const { data = [] } = useRead(OwnCategories, {});
  // The counts refer to all of the client's items.
  const whole = collection === undefined && registryIds === undefined;
  const options = data
    .filter(({ code }) => categories === undefined || categories.includes(code))
    .map(({ code, name, itemCount }) => ({
      value: code,
      label: whole ? `${name} (${countText(itemCount)})` : name,
    }));
  return (
    <NativeSelect
      label="Category"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: '', label: 'All' }, ...options]}
      flex="0 1 12rem"
    />
  );
}
