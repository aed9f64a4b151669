// Client: chooses one of the client's items by typing.
import { Select } from '@mantine/core';
import { useState } from 'react';
import { useDebounced } from '../../components/debounced.ts';
import { OwnItems } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';

interface ItemSelectProps {
  label: string;
  /** Registry id. */
  value: string | null;
  onChange: (registryId: string | null) => void;
  placeholder?: string;
  clearable?: boolean;
  flex?: string;
}

const FOUND = 20;

export function ItemSelect({ value, onChange, clearable = false, ...rest }: ItemSelectProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebounced(typed);
  const chosen = useRead(OwnItems, { registryIds: [value ?? ''], first: 1, page: 1 }, { enabled: value !== null });
  const title = chosen.data?.nodes[0]?.title ?? value ?? '';
  const looking = search !== '' && search !== title;
  const found = useRead(OwnItems, { ...(looking ? { search } : {}), first: FOUND, page: 1 }, { keepPrevious: true });
  const options = (found.data?.nodes ?? []).map((item) => ({ value: item.registryId, label: item.title }));
  const missing = value !== null && options.every((option) => option.value !== value);
  return (
    <Select
      {...rest}
      searchable
      clearable={clearable}
      clearButtonProps={{ 'aria-label': 'Clear the item' }}
      allowDeselect={false}
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      data={missing ? [{ value, label: title }, ...options] : options}
      // The endpoint has filtered already.
      filter={({ options: all }) => all}
      nothingFoundMessage="No item matches."
      maxDropdownHeight={280}
    />
  );
}
