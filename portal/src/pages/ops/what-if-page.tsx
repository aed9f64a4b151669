// Operations: the effect that another tier would have had in the last 24 hours.
import { NativeSelect, Text } from '@mantine/core';
import { IconScale } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Dimmed } from '../../components/dimmed.tsx';
import { countOf, countText } from '../../components/numbers.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { Figures } from '../../components/page/section.tsx';
import { Settling } from '../../components/page/settling.tsx';
import { Empty, Reading } from '../../components/page/states.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { FilterBar, useFilters } from '../../components/table/filter-bar.tsx';
import { filterOptions, isOneOf } from '../../components/table/filter-options.ts';
import { tierName } from '../../components/tier.ts';
import { momentText } from '../../components/time.tsx';
import { Limits, WhatIf, type WhatIfQuery } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import { useTierOptions } from './tier-options.ts';
import { WHAT_IF_COLUMNS } from './what-if-columns.tsx';

export default function WhatIfPage() {
  const tierOptions = useTierOptions();
  const { values, set } = useFilters(['tier', 'firm'], { tier: isOneOf(tierOptions) });
  const tier = values.tier ?? 'standard';
  const reading = useRead(WhatIf, { tier, firmId: values.firm }, { keepPrevious: true });
  return (
    <>
      <PageHeader
        title="What if"
        lead="The calls of the last 24 hours, counted against another tier: which of them it would have refused."
      />
      <FilterBar active={values.firm !== null} onClear={() => set({ firm: null })}>
        <NativeSelect
          label="On the tier"
          value={tier}
          onChange={(event) => set({ tier: event.currentTarget.value })}
          data={tierOptions}
        />
        <FirmChoice value={values.firm} onChange={(firm) => set({ firm })} />
      </FilterBar>
      <Reading of={reading}>
        {(body) => (
          <Settling busy={reading.isPlaceholderData}>
            <Result of={body} />
          </Settling>
        )}
      </Reading>
    </>
  );
}

function FirmChoice({ value, onChange }: { value: string | null; onChange: (firmId: string) => void }) {
  const { data = [] } = useRead(Limits, {});
  const firms = useMemo(() => {
    const names = new Map(data.map(({ firmId, firmName }) => [firmId, firmName]));
    return [...names].map(([id, label]) => ({ value: id, label })).sort((a, b) => a.label.localeCompare(b.label));
  }, [data]);
  return (
    <NativeSelect
      label="Firm"
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={filterOptions(value, firms, { all: 'All firms', chosen: 'The chosen firm' })}
    />
  );
}

function Result({ of: { tier, limit, since, until, wouldRefuse, keys } }: { of: WhatIfQuery['body'] }) {
  if (keys.length === 0)
    return (
      <Empty icon={IconScale} title="No calls in the last 24 hours">
        There is nothing to count. Choose another firm, or come back when keys have called.
      </Empty>
    );
  const sum = (of: 'requests' | 'refused') => keys.reduce((total, key) => total + key[of], 0);
  const hit = keys.filter((key) => key.wouldRefuse > 0).length;
  return (
    <>
      <Text mb="lg" size="lg">
        On {tierName(tier)}, {countText(limit)} requests a minute,{' '}
        {wouldRefuse === 0 ? (
          <strong>no call would have been refused.</strong>
        ) : (
          <>
            <strong>{countOf(hit, 'key')}</strong> would have been refused{' '}
            <strong>{countOf(wouldRefuse, 'time')}</strong>.
          </>
        )}
      </Text>
      <Figures
        of={[
          { label: 'Would be refused', value: countText(wouldRefuse), note: `on ${tierName(tier)}` },
          { label: 'Were refused', value: countText(sum('refused')), note: 'as the limits were' },
          { label: 'Calls on record', value: countText(sum('requests')) },
          { label: 'Keys with calls', value: countText(keys.length) },
        ]}
      />
      <DataTable label="Keys by what would have been refused" columns={WHAT_IF_COLUMNS} rows={keys} rowId="keyId" />
      <Dimmed maw="44rem" mt="md">
        {momentText(since)} to {momentText(until)}, by the access record: calls that named a client, those that the
        limit refused included. Retries that a refusal would have caused are not estimated.
      </Dimmed>
    </>
  );
}
