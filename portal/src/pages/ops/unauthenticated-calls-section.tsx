// Operations: calls without any firm's key, by day.
import { Text } from '@mantine/core';
import { type Part, StackedChart } from '../../components/charts/stacked-chart.tsx';
import { countOf, countText } from '../../components/numbers.tsx';
import { Section } from '../../components/page/section.tsx';
import { BlockSkeleton, Reading } from '../../components/page/states.tsx';
import { Figures } from '../../components/table/figures.tsx';
import { dayText, shortDayText } from '../../components/time.tsx';
import { UnauthenticatedCalls, type UnauthenticatedCallsQuery } from '../../generated/operations.ts';
import { useRead } from '../../graphql/hooks.ts';

type Body = UnauthenticatedCallsQuery['body'];

const DAYS = 30;
const PARTS: readonly Part[] = [{ name: 'refused', label: 'Refused' }];
/** Number of days from one label to the next. */
const MARKED = 7;

export function UnauthenticatedCallsSection() {
  const reading = useRead(UnauthenticatedCalls, { days: DAYS }, { every: 60_000 });
  return (
    <Section
      title="Calls without a key"
      lead="Refused calls that named no key of any firm, by day of UTC. They belong to no firm, so only their number is recorded."
    >
      <Reading of={reading} skeleton={<BlockSkeleton lines={4} />}>
        {(calls) => <CallChart of={calls} />}
      </Reading>
    </Section>
  );
}

function CallChart({ of: { days, counts } }: { of: Body }) {
  const total = counts.reduce((sum, { calls }) => sum + calls, 0);
  if (total === 0) return <Text>In the last {DAYS} days there was none.</Text>;
  const of = (day: string) => counts.filter((row) => row.day === day).reduce((sum, { calls }) => sum + calls, 0);
  return (
    <figure>
      <figcaption>
        <Text size="sm" mb="sm">
          {countOf(total, 'call')} in the last {DAYS} days, {countText(of(days.at(-1) ?? ''))} of them today.
        </Text>
      </figcaption>
      <StackedChart
        parts={PARTS}
        bars={days.map((day, index) => ({
          id: day,
          title: `${dayText(day)}: ${countOf(of(day), 'call')}`,
          mark: index % MARKED === 0 ? shortDayText(day) : undefined,
          counts: { refused: of(day) },
        }))}
      />
      <Figures
        caption="By day and reason, newest first"
        head={['Day', 'Reason', 'Calls']}
        rows={counts.map(({ day, errorCode, calls }) => ({
          id: `${day} ${errorCode}`,
          cells: [dayText(day), <code key="code">{errorCode}</code>, countText(calls)],
        }))}
      />
    </figure>
  );
}
