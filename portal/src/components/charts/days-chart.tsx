// Components: requests by day, stacked by how they ended. Loaded when a page shows it.
import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.layer.css';
import { countText } from '../numbers.tsx';
import { dayText } from '../time.tsx';

export interface DayCounts {
  day: string;
  ok: number;
  refused: number;
  limited: number;
  failed: number;
}

const SERIES = [
  { name: 'ok', label: 'Answered', color: 'var(--portico-chart-ok)' },
  { name: 'refused', label: 'Refused', color: 'var(--portico-chart-refused)' },
  { name: 'limited', label: 'Over the limit', color: 'var(--portico-chart-limited)' },
  { name: 'failed', label: 'Failed', color: 'var(--portico-chart-failed)' },
];

const shortDay = (day: string): string => dayText(day).replace(/ \d{4}$/, '');

export default function DaysChart({ days }: { days: readonly DayCounts[] }) {
  return (
    <BarChart
      h={240}
      data={days.map((day) => ({ ...day }))}
      dataKey="day"
      type="stacked"
      series={SERIES}
      valueFormatter={countText}
      withLegend
      legendProps={{ verticalAlign: 'bottom', height: 44, itemSorter: null }}
      gridAxis="x"
      tickLine="none"
      strokeDasharray="0"
      xAxisProps={{ tickFormatter: shortDay, minTickGap: 28 }}
      yAxisProps={{ width: 44, allowDecimals: false }}
      maxBarWidth={22}
      barProps={{ isAnimationActive: false }}
      // The table beside it is what is read aloud; nothing in here takes the focus.
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
