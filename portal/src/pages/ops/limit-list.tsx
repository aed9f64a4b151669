// Operations: keys by the used share of their limit, with those near it marked.
import { Checkbox, NativeSelect } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useDeferredValue, useMemo } from 'react';
import { countOf } from '../../components/numbers.tsx';
import { Empty, NoMatch } from '../../components/page/states.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { FilterBar, useFilters } from '../../components/table/filter-bar.tsx';
import { isOneOf } from '../../components/table/filter-options.ts';
import { LIMIT_COLUMNS, type LimitRow } from './limit-columns.tsx';
import { useTierOptions } from './tier-options.ts';

export function LimitList({ keys }: { keys: readonly LimitRow[] }) {
  const tierOptions = useTierOptions();
  const { values, set, field, active, clear } = useFilters(['search', 'tier', 'near'], { tier: isOneOf(tierOptions) });
  const search = useDeferredValue(values.search?.trim().toLowerCase() ?? '');
  const { tier, near } = values;
  const shown = useMemo(
    () =>
      keys
        .filter((key) => (tier === null || key.tier === tier) && (near === null || key.near || overOf(key) > 0))
        .filter(({ name, firmName, keyId }) =>
          [name, firmName, keyId].some((text) => text.toLowerCase().includes(search)),
        )
        .sort((left, right) => shareOf(right) - shareOf(left) || overOf(right) - overOf(left)),
    [keys, tier, near, search],
  );
  if (keys.length === 0)
    return (
      <Empty icon={IconGauge} title="No usable key">
        As soon as a firm with an active plan has a key, its use appears here.
      </Empty>
    );
  return (
    <>
      <FilterBar active={active} onClear={clear}>
        <SearchInput label="Firm, key or id" {...field('search')} />
        <NativeSelect label="Tier" {...field('tier')} data={[{ value: '', label: 'All' }, ...tierOptions]} />
        <Checkbox
          label="Near the limit or refused"
          checked={near !== null}
          onChange={(event) => set({ near: event.currentTarget.checked ? '1' : null })}
          pb={8}
        />
      </FilterBar>
      {shown.length === 0 ? (
        <NoMatch title="No key matches" onClear={clear}>
          {countOf(keys.length, 'key is', 'keys are')} hidden by the filters.
        </NoMatch>
      ) : (
        <DataTable label="Keys by use" columns={LIMIT_COLUMNS} rows={shown} rowId="keyId" />
      )}
    </>
  );
}

/** Refused, or let pass in shadow mode. */
const overOf = ({ refused, wouldRefuse }: LimitRow): number => refused + wouldRefuse;

const shareOf = ({ used, limit }: LimitRow): number => used / Math.max(1, limit);
