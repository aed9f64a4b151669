// Client: the filters above the access record, and its downloads.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMemo } from 'react';
import { LAST_DAY } from '../../../components/day.ts';
import { isolated } from '../../../components/names.ts';
import { FilterBar } from '../../../components/table/filter-bar.tsx';
import { filterOptions } from '../../../components/table/filter-options.ts';
import { AccessRecordParties } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { ItemSelect } from '../item-select.tsx';
import { ENDPOINTS } from '../plain-words.ts';
import { downloadPath, OUTCOMES, type RecordQuery, type useRecordFilters, WHEN } from './filters.ts';

export function RecordFilters({ filters }: { filters: ReturnType<typeof useRecordFilters> }) {
  const { values, set, field, active, clear } = filters;
  const days = values.period === 'days';
  return (
    <FilterBar active={active} onClear={clear}>
      <Who value={values.who} onChange={(who) => set({ who })} />
      <NativeSelect label="Outcome" {...field('outcome')} data={[{ value: '', label: 'All' }, ...OUTCOMES]} />
      <NativeSelect
        label="What was read"
        {...field('endpoint')}
        data={[{ value: '', label: 'Anything' }, ...ENDPOINTS]}
      />
      <ItemSelect label="Item" placeholder="Any" clearable value={values.item} onChange={(item) => set({ item })} />
      <NativeSelect
        label="When"
        value={values.period ?? ''}
        onChange={(event) => set({ period: event.currentTarget.value, from: null, to: null })}
        data={[{ value: '', label: 'Any time' }, ...WHEN]}
      />
      {days && <TextInput type="date" label="First day" max={LAST_DAY} {...field('from')} />}
      {days && (
        <TextInput
          type="date"
          label="Last day"
          max={LAST_DAY}
          {...field('to')}
          error={values.from && values.to && values.to < values.from ? 'This is before the first day.' : null}
        />
      )}
    </FilterBar>
  );
}

/** A firm, or one of its keys. */
function Who({ value, onChange }: { value: string | null; onChange: (who: string) => void }) {
  const { data = [] } = useRead(AccessRecordParties, {});
  const groups = useMemo(() => {
    const firms = Map.groupBy(data, ({ firmId }) => firmId);
    return [...firms].map(([firmId, keys]) => ({
      group: keys[0]?.firmName ?? firmId,
      items: [
        { value: firmId, label: `${isolated(keys[0]?.firmName ?? firmId)}: all keys` },
        ...keys.map(({ keyId, keyName }) => ({ value: keyId, label: keyName })),
      ],
    }));
  }, [data]);
  return (
    <NativeSelect
      label="Firm or key"
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={filterOptions(value, groups, { all: 'All', chosen: 'The chosen key' })}
    />
  );
}

/** Downloads of the filtered record. */
export function Downloads({ query }: { query: RecordQuery }) {
  return (
    <>
      {(['csv', 'json'] as const).map((format) => (
        <Button
          key={format}
          component="a"
          href={downloadPath(format, query)}
          download
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Download {format.toUpperCase()}
        </Button>
      ))}
    </>
  );
}
