// Client: own categories to filter a list of items by.
import { NativeSelect } from '@mantine/core';
import { countText } from '../../../components/numbers.tsx';
import { OwnCategories } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';

export function CategoryFilter({ value, onChange }: { value: string; onChange: (code: string) => void }) {
  const { data = [] } = useRead(OwnCategories, {});
  const options = data.map(({ code, name, itemCount }) => ({
    value: code,
    label: `${name} (${countText(itemCount)})`,
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
