// Components: charts, each with its figures as text for people who do not see it.
import { VisuallyHidden } from '@mantine/core';
import { countText } from '../numbers.tsx';
import { dayText } from '../time.tsx';
import classes from './charts.module.css';
import { type DayCounts, DaysChart } from './days-chart.tsx';
import { OUTCOMES, OutcomePart, type PartName } from './outcome-part.tsx';
import type { Part } from './stacked-chart.tsx';

export function DaysFigure({ days }: { days: readonly DayCounts[] }) {
  return (
    <figure className={classes.figure}>
      <DaysChart days={days} />
      <VisuallyHidden>
        <table>
          <caption>Requests by day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {OUTCOMES.map(({ name, label }) => (
                <th key={name} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((row) => (
              <tr key={row.day}>
                <th scope="row">{dayText(row.day)}</th>
                {OUTCOMES.map(({ name }) => (
                  <td key={name}>{row[name]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
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
  note?: string;
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
              <button type="button" className={classes.select} dir="auto" title={share.label} onClick={share.onSelect}>
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
