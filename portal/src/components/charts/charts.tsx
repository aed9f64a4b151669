// Components: charts, each with the same figures as text for those who do not see it.
import { Skeleton, VisuallyHidden } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { countText } from '../numbers.tsx';
import { dayText } from '../time.tsx';
import classes from './charts.module.css';
import type { DayCounts } from './days-chart.tsx';

const LazyDaysChart = lazy(() => import('./days-chart.tsx'));

export function DaysChart({ days }: { days: readonly DayCounts[] }) {
  return (
    <figure className={classes.figure}>
      <div aria-hidden>
        <Suspense fallback={<Skeleton height={240} />}>
          <LazyDaysChart days={days} />
        </Suspense>
      </div>
      <VisuallyHidden>
        <table>
          <caption>Requests by day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Answered</th>
              <th scope="col">Refused</th>
              <th scope="col">Over the limit</th>
              <th scope="col">Failed</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, ok, refused, limited, failed }) => (
              <tr key={day}>
                <th scope="row">{dayText(day)}</th>
                <td>{ok}</td>
                <td>{refused}</td>
                <td>{limited}</td>
                <td>{failed}</td>
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
  /** Of which not answered with data. */
  bad?: number;
  /** A second line. */
  note?: string;
  onSelect?: () => void;
}

/** Figures by size, longest bar first; what is chosen filters the page where `onSelect` is given. */
export function ShareBars({ label, shares }: { label: string; shares: readonly Share[] }) {
  const max = Math.max(1, ...shares.map(({ count }) => count));
  return (
    <ul className={classes.bars} aria-label={label}>
      {shares.map((share) => (
        <li key={share.id}>
          <div className={classes.line}>
            {share.onSelect ? (
              <button type="button" className={classes.select} title={share.label} onClick={share.onSelect}>
                {share.label}
              </button>
            ) : (
              <span className={classes.name} title={share.label}>
                {share.label}
              </span>
            )}
            <span className="numbers">{countText(share.count)}</span>
          </div>
          <div className={classes.track} aria-hidden>
            <div className={classes.good} style={{ width: `${((share.count - (share.bad ?? 0)) / max) * 100}%` }} />
            <div className={classes.bad} style={{ width: `${((share.bad ?? 0) / max) * 100}%` }} />
          </div>
          {share.note && <div className={classes.note}>{share.note}</div>}
        </li>
      ))}
    </ul>
  );
}
