// Components: requests by day, stacked by outcome.
import { countOf } from '../numbers.tsx';
import { dayText, shortDayText } from '../time.tsx';
import { OUTCOMES } from './outcome-part.tsx';
import { StackedChart } from './stacked-chart.tsx';

export interface DayCounts {
  day: string;
  ok: number;
  refused: number;
  limited: number;
  failed: number;
}

const MAX_LABELS = 7;

export function DaysChart({ days }: { days: readonly DayCounts[] }) {
  const every = Math.ceil(days.length / MAX_LABELS);
  const bars = days.map((counts, index) => ({
    id: counts.day,
    title: `${dayText(counts.day)}: ${countOf(counts.ok + counts.refused + counts.limited + counts.failed, 'call')}`,
    mark: index % every === 0 ? shortDayText(counts.day) : undefined,
    counts,
  }));
  return <StackedChart bars={bars} parts={OUTCOMES} />;
}
