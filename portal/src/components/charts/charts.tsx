// Components: charts, each with its figures as text for people who do not see it.
import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Outcome } from '#core/outcome.ts';
import { countOf, countText } from '../numbers.tsx';
import { FigureTable } from '../table/figures.tsx';
import { dayText, shortDayText } from '../time.tsx';
import classes from './charts.module.css';
import { OUTCOMES, OutcomePart, type PartName } from './outcome-part.tsx';
import { type Part, StackedChart } from './stacked-chart.tsx';

interface DayCounts extends Record<Outcome, number> {
  day: string;
}

const MAX_LABELS = 7;

/** Requests by day, stacked by outcome. */
export function DaysFigure({ days }: { days: readonly DayCounts[] }) {
  const every = Math.ceil(days.length / MAX_LABELS);
  const bars = days.map((counts, index) => ({
    id: counts.day,
    title: `${dayText(counts.day)}: ${countOf(counts.ok + counts.refused + counts.limited + counts.failed, 'call')}`,
    mark: index % every === 0 ? shortDayText(counts.day) : undefined,
    counts,
  }));
  return (
    <figure>
      <StackedChart bars={bars} parts={OUTCOMES} />
      <VisuallyHidden>
        <FigureTable
          caption="Requests by day"
          head={['Day', ...OUTCOMES.map(({ label }) => label)]}
          rows={days.map((row) => ({
            id: row.day,
            cells: [dayText(row.day), ...OUTCOMES.map(({ name }) => row[name])],
          }))}
        />
      </VisuallyHidden>
    </figure>
  );
}

export interface Share {
  id: string;
  label: string;
  count: number;
  /** Parts of the count by outcome. */
  ended: Partial<Record<PartName, number>>;
  /** A second line. */
  note?: ReactNode;
  onSelect?: () => void;
}

interface ShareBarsProps {
  label: string;
  shares: readonly Share[];
  /** In the order of a bar. */
  parts?: readonly Part[];
}

/** Figures by size, longest bar first. With `onSelect`, choosing one filters the page. */
export function ShareBars({ label, shares, parts = OUTCOMES }: ShareBarsProps) {
  const max = Math.max(1, ...shares.map(({ count }) => count));
  return (
    <ul className={classes.bars} aria-label={label}>
      {shares.map((share) => (
        <li key={share.id}>
          <div className={classes.line}>
            {share.onSelect ? (
              <button
                type="button"
                className={`touched ${classes.select}`}
                dir="auto"
                title={share.label}
                onClick={share.onSelect}
              >
                {share.label}
              </button>
            ) : (
              <span className={classes.name} dir="auto" title={share.label}>
                {share.label}
              </span>
            )}
            <span className="numbers">{countText(share.count)}</span>
          </div>
          <div className={classes.track} aria-hidden>
            {parts
              .filter(({ name }) => share.ended[name])
              .map(({ name }) => (
                <OutcomePart
                  key={name}
                  outcome={name}
                  style={{ width: `${((share.ended[name] ?? 0) / max) * 100}%` }}
                />
              ))}
          </div>
          {share.note && <div className={classes.note}>{share.note}</div>}
        </li>
      ))}
    </ul>
  );
}
