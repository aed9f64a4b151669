// Client: chooses up to 10,000 of the client's items, with search and categories.
import { Checkbox, Group } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { useDebounced } from '../../../components/debounced.ts';
import { Dimmed } from '../../../components/dimmed.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { Failure } from '../../../components/page/states.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { Categories } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { CategoryFilter } from './category-filter.tsx';
import { ChooseAll } from './choose-all.tsx';
import { ChosenItems } from './chosen-items.tsx';
import { ItemList } from './item-list.tsx';
import classes from './item-picker.module.css';
import { type ItemBounds, type ItemQuery, type OwnItem, useItemRows, type View } from './item-rows.ts';

interface ItemPickerProps {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  /** Limits the choice to these. */
  within: ItemBounds;
  /** Items with known titles. */
  known: readonly { registryId: string; title: string | null }[];
}

export function ItemPicker({ chosen, onChange, within, known }: ItemPickerProps) {
  const [search, setSearch] = useState('');
  const [category, setCategory] = useState('');
  // The items chosen when the switch was turned on, so that rows do not vanish under the pointer.
  const [only, setOnly] = useState<readonly string[] | null>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const switchOnly = (on: boolean) => {
    // Then the switch disappears.
    if (!on && chosen.size === 0) searchField.current?.focus();
    setOnly(on ? [...chosen] : null);
  };
  const [view, setView] = useState<View>({ first: 0, last: 0 });
  const [settledSearch, typing] = useDebounced(search);
  const query = useItemQuery(settledSearch, category, within, only);
  const rows = useItemRows(query, view);
  const waiting = typing || rows.waiting;
  const categoryName = useCategoryNames();
  const titles = useRef(
    new Map(known.flatMap(({ registryId, title }) => (title === null ? [] : [[registryId, title]]))),
  );
  const toggle = ({ registryId, title }: OwnItem) => {
    titles.current.set(registryId, title);
    onChange(toggled(chosen, registryId));
  };
  const choose = (registryIds: readonly string[]) => onChange(new Set([...chosen, ...registryIds]));
  return (
    <div className={classes.picker}>
      <Group gap="sm" align="flex-end" className={classes.filters}>
        <SearchInput
          ref={searchField}
          label="Search"
          placeholder="Title or registry id"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          flex="1 1 12rem"
        />
        <CategoryFilter value={category} onChange={setCategory} within={within} />
      </Group>
      <Group justify="space-between" className={classes.bar}>
        <Dimmed aria-live="polite">
          {waiting ? 'Searching…' : rows.read ? countOf(rows.total, 'item') : 'Loading…'}
        </Dimmed>
        <Group gap="md">
          {(chosen.size > 0 || only !== null) && (
            <Checkbox
              size="sm"
              radius="xs"
              label="Only chosen"
              checked={only !== null}
              onChange={(event) => switchOnly(event.currentTarget.checked)}
            />
          )}
          {!waiting && <ChooseAll query={query} chosen={chosen} total={rows.total} onFound={choose} />}
        </Group>
      </Group>
      {rows.read && rows.total === 0 ? (
        <Dimmed className={classes.none}>
          {settledSearch === '' && category === '' ? emptyText(within) : 'No item matches.'}
        </Dimmed>
      ) : (
        (rows.read || rows.failure === null) && (
          <ItemList
            total={rows.total}
            at={rows.at}
            chosen={chosen}
            onToggle={toggle}
            onView={setView}
            categoryName={categoryName}
            waiting={waiting}
          />
        )
      )}
      {rows.failure !== null && <Failure error={rows.failure} retry={rows.retry} retrying={rows.retrying} />}
      <ChosenItems
        chosen={chosen}
        titles={titles.current}
        onRemove={(registryId) => onChange(toggled(chosen, registryId))}
        onClear={() => onChange(new Set())}
      />
    </div>
  );
}

const emptyText = (within: ItemBounds): string =>
  Object.keys(within).length === 0 ? 'You have no items yet.' : 'You have no such items now.';

function toggled(chosen: ReadonlySet<string>, registryId: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(registryId)) next.add(registryId);
  return next;
}

function useItemQuery(search: string, category: string, within: ItemBounds, only: readonly string[] | null): ItemQuery {
  return useMemo(
    () => ({
      ...within,
      ...(search === '' ? {} : { search }),
      ...(category === '' ? {} : { categories: [category] }),
      ...(only === null ? {} : { registryIds: [...only] }),
    }),
    [search, category, within, only],
  );
}

function useCategoryNames(): (code: string) => string {
  const { data } = useRead(Categories, {});
  return useMemo(() => {
    const names = new Map(data?.map(({ code, name }) => [code, name]));
    return (code: string) => names.get(code) ?? code;
  }, [data]);
}
