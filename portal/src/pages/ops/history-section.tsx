// Operations: requests admitted and refused by limits, on all gateways, by tier and key.
import { NativeSelect, SegmentedControl, Title } from '@mantine/core';
import { type Share, ShareBars } from '../../components/charts/charts.tsx';
import { isolated } from '../../components/names.ts';
import { countText } from '../../components/numbers.tsx';
import { Section } from '../../components/page/section.tsx';
import { Settling } from '../../components/page/settling.tsx';
import { Reading } from '../../components/page/states.tsx';
import { FilterBar, useFilters } from '../../components/table/filter-bar.tsx';
import { isOneOf } from '../../components/table/filter-options.ts';
import { tierName } from '../../components/tier.ts';
import { LimitHistory } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';
import { type History, HistoryChart, PARTS, partsOf, SPANS, type Span, words } from './history-figure.tsx';
import classes from './limits.module.css';
import { useTierOptions } from './tier-options.ts';

const EVERY = 15_000;

export function HistorySection({ live }: { live: boolean }) {
  const tierOptions = useTierOptions();
  const { values, set, field } = useFilters(['span', 'of'], { of: isOneOf(tierOptions) });
  const span: Span = values.span === 'day' ? 'day' : 'hour';
  const tier = values.of;
  const reading = useRead(LimitHistory, { span, tier }, { keepPrevious: true, every: live && EVERY });
  return (
    <Section
      title="What the limits did"
      lead="Over all gateways, each of which adds what it counted every five seconds."
      actions={
        <SegmentedControl
          aria-label="Span"
          data={SPANS}
          value={span}
          onChange={(next) => set({ span: next === 'day' ? next : null })}
        />
      }
    >
      <FilterBar active={tier !== null} onClear={() => set({ of: null })}>
        <NativeSelect label="Keys of the tier" {...field('of')} data={[{ value: '', label: 'All' }, ...tierOptions]} />
      </FilterBar>
      <Reading of={reading}>
        {(history) => (
          <Settling busy={reading.isPlaceholderData}>
            <HistoryChart of={history} />
            <Shares of={history} />
          </Settling>
        )}
      </Reading>
    </Section>
  );
}

const MAX_BARS = 8;

function Shares({ of: { tiers, keys, keyCount } }: { of: History }) {
  const { set } = useFilters(['key', 'of']);
  if (keyCount === 0) return null;
  return (
    <div className={classes.shares}>
      <div>
        <Title order={3} mb="sm">
          By tier
        </Title>
        <ShareBars
          label="Calls by tier"
          parts={PARTS}
          shares={tiers
            .toSorted((left, right) => right.admitted + right.refused - left.admitted - left.refused)
            .map((row) => shareOf(row.tier, tierName(row.tier), row, () => set({ of: row.tier })))}
        />
      </div>
      <div>
        <Title order={3} mb="sm">
          By key{keyCount > MAX_BARS ? `: ${MAX_BARS} of ${countText(keyCount)}, most refused first` : ''}
        </Title>
        <ShareBars
          label="Calls by key"
          parts={PARTS}
          shares={keys
            .slice(0, MAX_BARS)
            .map((row) =>
              shareOf(row.keyId, `${isolated(row.name)}, ${isolated(row.firmName)}`, row, () =>
                set({ key: row.keyId }),
              ),
            )}
        />
      </div>
    </div>
  );
}

const shareOf = (
  id: string,
  label: string,
  row: History['tiers'][number] | History['keys'][number],
  onSelect: () => void,
): Share => ({
  id,
  label,
  count: row.admitted + row.refused,
  ended: partsOf(row),
  note: words(row),
  onSelect,
});
