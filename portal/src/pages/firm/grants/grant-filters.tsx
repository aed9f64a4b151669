// Firm: filters of the list of grants by client and key.
import { NativeSelect, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { FilterBar, type Filters } from '../../../components/table/filter-bar.tsx';
import { useKeyFilter } from '../keys/use-key-filter.ts';

export function AccessFilters({ values, set, field }: Filters<'show' | 'search' | 'key'>) {
  const keys = useKeyFilter(values.key);
  return (
    <FilterBar active={values.search !== null || values.key !== null} onClear={() => set({ search: null, key: null })}>
      <TextInput
        label="Client"
        placeholder="Name or e-mail"
        leftSection={<IconSearch size={16} aria-hidden />}
        {...field('search')}
      />
      <NativeSelect label="Key" {...field('key')} data={keys} />
    </FilterBar>
  );
}
