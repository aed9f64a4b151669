// Firm: the items of a request. The firm does not see the client's items beforehand, so it names them.
import { Checkbox, Radio, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MAX_FILTER_ITEMS } from '#core/filter-size.ts';
import { countText } from '../../../components/numbers.tsx';
import { Categories, type GrantFilterInput } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';

/** The input. Fields of types other than the selected one are kept. */
export interface FilterDraft {
  type: 'all' | 'category' | 'items' | 'collection';
  categories: string[];
  /** Registry ids, separated by white space or commas. */
  items: string;
  collection: string;
}

/** Initial values from an address: `items` is a type, with `categories` (separated by commas) or a `collection`. */
export function filterFrom(wanted: URLSearchParams): FilterDraft {
  const type = (['category', 'items', 'collection'] as const).find((name) => name === wanted.get('items')) ?? 'all';
  const categories = wanted.get('categories')?.split(',') ?? [];
  return { type, categories, items: '', collection: wanted.get('collection') ?? '' };
}

const idsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((id) => id !== '');

export function filterFault({ type, categories, items, collection }: FilterDraft): string | null {
  if (type === 'category' && categories.length === 0) return 'Choose at least one category.';
  if (type === 'items' && idsOf(items).length === 0) return 'Name at least one item.';
  if (type === 'collection' && collection.trim() === '') return 'Name the collection.';
  return null;
}

export function filterInput({ type, categories, items, collection }: FilterDraft): GrantFilterInput {
  switch (type) {
    case 'category':
      return { type, categories };
    case 'items':
      return { type, items: idsOf(items) };
    case 'collection':
      return { type, collection: collection.trim() };
    default:
      return { type };
  }
}

interface FilterFieldProps {
  value: FilterDraft;
  onChange: (value: FilterDraft) => void;
  error?: ReactNode;
  /** The items in words that an empty field stands for. */
  unnamed?: string | undefined;
}

export function FilterField({ value, onChange, error, unnamed }: FilterFieldProps) {
  const empty = unnamed === undefined ? '' : ` Empty: as now (${unnamed}).`;
  const set = (changes: Partial<FilterDraft>) => onChange({ ...value, ...changes });
  return (
    <Stack gap="md">
      <Radio.Group label="Items" value={value.type} onChange={(type) => set({ type: type as FilterDraft['type'] })}>
        <Stack gap="xs" mt="xs">
          <Radio value="all" label="All items, also future ones" />
          <Radio value="category" label="Items of certain categories" />
          <Radio value="items" label="Certain items" />
          <Radio value="collection" label="One collection" />
        </Stack>
      </Radio.Group>
      {value.type === 'category' && (
        <CategoryChoice value={value.categories} onChange={(categories) => set({ categories })} error={error} />
      )}
      {value.type === 'items' && (
        <Textarea
          label="Registry ids"
          description={`Of items that a grant of the client already shows you: one per line, or separated by commas; up to ${countText(MAX_FILTER_ITEMS)}.${empty}`}
          autosize
          minRows={3}
          maxRows={12}
          value={value.items}
          onChange={(event) => set({ items: event.currentTarget.value })}
          error={error}
        />
      )}
      {value.type === 'collection' && (
        <TextInput
          label="Collection id"
          description={`One that a grant of the client already shows you. The client can choose another when they approve.${empty}`}
          placeholder="col_…"
          value={value.collection}
          onChange={(event) => set({ collection: event.currentTarget.value })}
          error={error}
        />
      )}
    </Stack>
  );
}

interface CategoryChoiceProps {
  value: string[];
  onChange: (codes: string[]) => void;
  error: ReactNode;
}

function CategoryChoice({ value, onChange, error }: CategoryChoiceProps) {
  const { data, error: unread } = useRead(Categories, {});
  if (unread !== null) return <Text size="sm">{unread.message}</Text>;
  return (
    <Checkbox.Group label="Categories" value={value} onChange={onChange} error={error}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
        {(data ?? []).map(({ code, name }) => (
          <Checkbox key={code} value={code} label={name} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
