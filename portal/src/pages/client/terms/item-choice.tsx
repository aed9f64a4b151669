// Client: chooses the items: all, categories, a collection, or single ones.
import { Box, Input, Radio, Stack } from '@mantine/core';
import { type ReactNode, useId, useMemo } from 'react';
import choices from '../../../components/choice-list.module.css';
import { CategoryChoice } from './category-choice.tsx';
import { CollectionChoice } from './collection-choice.tsx';
import type { FilterType, GivenFilter, ItemsDraft } from './draft.ts';
import { ItemPicker } from './item-picker.tsx';
import type { ItemBounds } from './item-rows.ts';

interface ItemChoiceProps {
  value: ItemsDraft;
  onChange: (items: ItemsDraft) => void;
  /** The requested filter, which an approval must stay within. */
  within: GivenFilter | null;
  /** The present filter, with names and titles of what is chosen. */
  given: GivenFilter | null;
  error?: ReactNode;
}

const TYPES: readonly { type: FilterType; name: string; words: string }[] = [
  { type: 'all', name: 'Everything', words: 'All items, also those you add later.' },
  { type: 'category', name: 'Some categories', words: 'All items of them, also those you add later.' },
  { type: 'collection', name: 'One collection', words: 'Everything in it, also after you add or remove items.' },
  { type: 'items', name: 'Chosen items', words: 'These and no others.' },
];

export function ItemChoice({ value, onChange, within, given, error }: ItemChoiceProps) {
  const errorId = useId();
  const change = (changes: Partial<ItemsDraft>) => onChange({ ...value, ...changes });
  const possible = TYPES.filter(({ type }) => isPossible(type, within));
  const bounds = useMemo(() => boundsOf(within), [within]);
  return (
    <div>
      <Radio.Group
        label="Which items"
        description={narrowing(within)}
        value={value.type}
        onChange={(type) => change({ type: type as FilterType })}
        aria-describedby={error ? errorId : undefined}
      >
        <Stack gap={0} mt="xs" className={choices.list}>
          {possible.map(({ type, name, words }) => (
            <Radio
              key={type}
              value={type}
              label={name}
              description={words}
              classNames={{ root: choices.option, body: choices.body }}
            />
          ))}
        </Stack>
      </Radio.Group>
      {value.type !== 'all' && (
        <Box mt="md" data-fault={error ? '' : undefined}>
          {value.type === 'category' && (
            <CategoryChoice
              value={value.categories}
              onChange={(categories) => change({ categories })}
              named={given?.categories ?? []}
              among={within?.categories?.map(({ code }) => code)}
            />
          )}
          {value.type === 'collection' && (
            <CollectionChoice
              value={value.collection}
              onChange={(collection) => change({ collection })}
              given={given?.collection ?? null}
              fixed={within?.type === 'collection'}
            />
          )}
          {value.type === 'items' && (
            <ItemPicker
              chosen={value.items}
              onChange={(items) => change({ items })}
              within={bounds}
              known={given?.items ?? []}
            />
          )}
        </Box>
      )}
      {error && (
        <Input.Error id={errorId} mt="xs">
          {error}
        </Input.Error>
      )}
    </div>
  );
}

/** Single items can be chosen for every type of request. */
const isPossible = (type: FilterType, within: GivenFilter | null): boolean =>
  within === null || within.type === 'all' || within.type === type || type === 'items';

/** The items that can be chosen from. */
function boundsOf(within: GivenFilter | null): ItemBounds {
  return {
    ...(within?.categories ? { categories: within.categories.map(({ code }) => code) } : {}),
    ...(within?.collection ? { collection: within.collection.id } : {}),
    ...(within?.registryIds ? { registryIds: [...within.registryIds] } : {}),
  };
}

/** Why some choices are not possible. */
function narrowing(within: GivenFilter | null): string | undefined {
  switch (within?.type) {
    case 'category':
      return 'They asked for categories: you can leave some out, or choose items of them.';
    case 'items':
      return 'They asked for these items: you can leave some out.';
    case 'collection':
      return 'They asked for one collection: you can choose items of it instead.';
    default:
      return undefined;
  }
}
