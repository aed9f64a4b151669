// Operations: requests admitted and refused by limits in the last hour and day, as bars, in words and as a table.
import { Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { type Part, StackedChart } from '../../components/charts/stacked-chart.tsx';
import { LOCALE } from '../../components/locale.ts';
import { countOf, countText } from '../../components/numbers.tsx';
import { Settling } from '../../components/page/settling.tsx';
import { Reading } from '../../components/page/states.tsx';
import { Figures } from '../../components/table/figures.tsx';
import { LimitHistory, type LimitHistoryQuery } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';

export type History = LimitHistoryQuery['body'];
type Counts = Pick<History['bars'][number], 'admitted' | 'refused' | 'near' | 'letPass'>;
export type Span = 'hour' | 'day';

export const SPANS = [
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
];

export const PARTS: readonly Part[] = [
  { name: 'ok', label: 'Admitted' },
  { name: 'near', label: 'Admitted near a limit' },
  { name: 'let_pass', label: 'Let pass in shadow mode' },
  { name: 'limited', label: 'Refused' },
];

/**
 * Divides the counts into parts that do not overlap: requests let pass are also near the limit, and those near it are
 * also admitted.
 */
export const partsOf = ({ admitted, refused, near, letPass }: Counts) => ({
  ok: Math.max(0, admitted - Math.max(near, letPass)),
  near: Math.max(0, near - letPass),
  let_pass: letPass,
  limited: refused,
});

const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' });
const zone = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });

/** Number of bars from one label to the next. */
const MARKED: Record<Span, number> = { hour: 15, day: 24 };

/** For one key, with a choice of the span. */
export function HistoryFigure({ keyId }: { keyId: string }) {
  const [span, setSpan] = useState<Span>('hour');
  const reading = useRead(LimitHistory, { span, keyId }, { every: 15_000, keepPrevious: true });
  const id = useId();
  return (
    <div>
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={3} id={id}>
          Calls of this key
        </Title>
        <SegmentedControl
          size="xs"
          aria-labelledby={id}
          data={SPANS}
          value={span}
          onChange={(next) => setSpan(next as Span)}
        />
      </Group>
      <Reading of={reading}>
        {(history) => (
          <Settling busy={reading.isPlaceholderData}>
            <HistoryChart of={history} />
          </Settling>
        )}
      </Reading>
    </div>
  );
}

export function HistoryChart({ of: { bars, seconds, keyCount } }: { of: History }) {
  const sum = (of: keyof Counts) => bars.reduce((total, bar) => total + bar[of], 0);
  const span = seconds === 60 ? 'hour' : 'day';
  const step = MARKED[span];
  return (
    <figure>
      <figcaption>
        <Text size="sm" mb="sm">
          {summary(
            { admitted: sum('admitted'), refused: sum('refused'), near: sum('near'), letPass: sum('letPass') },
            span,
            keyCount,
          )}
        </Text>
      </figcaption>
      <StackedChart
        parts={PARTS}
        bars={bars.map((bar, index) => ({
          id: bar.at,
          title: `${zone.format(new Date(bar.at))}: ${words(bar)}`,
          mark: index % step === 0 ? clock.format(new Date(bar.at)) : undefined,
          counts: partsOf(bar),
        }))}
      />
      <Figures
        caption={`${span === 'hour' ? 'By minutes' : 'By quarters of an hour'}, newest first`}
        head={['From', 'Admitted', 'Near a limit', 'Let pass', 'Refused']}
        rows={bars.toReversed().map(({ at, admitted, near, letPass, refused }) => ({
          id: at,
          cells: [zone.format(new Date(at)), ...[admitted, near, letPass, refused].map(countText)],
        }))}
      />
    </figure>
  );
}

/** As a note below a name. */
export function words({ admitted, refused, near, letPass }: Counts): string {
  const parts = [
    `${countText(admitted)} admitted`,
    ...(near > 0 ? [`${countText(near)} of them near a limit`] : []),
    ...(letPass > 0 ? [`${countText(letPass)} let pass`] : []),
    ...(refused > 0 ? [`${countText(refused)} refused`] : []),
  ];
  return parts.join(', ');
}

function summary({ admitted, refused, near, letPass }: Counts, span: Span, keys: number): string {
  const when = span === 'hour' ? 'In the last hour' : 'In the last 24 hours';
  if (admitted + refused === 0) return `${when} there were no calls.`;
  const of = keys === 1 ? '' : ` of ${countOf(keys, 'key')}`;
  const nearly = near > 0 ? `, ${countText(near)} of them near a limit` : '';
  const passed = letPass > 0 ? `; ${countText(letPass)} ${letPass === 1 ? 'was' : 'were'} let pass in shadow mode` : '';
  const were = admitted === 1 ? 'was' : 'were';
  return `${when} ${countOf(admitted, 'call')}${of} ${were} admitted${nearly}${passed}, and ${countText(refused)} refused.`;
}
