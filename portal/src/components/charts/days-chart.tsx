// Components: requests by day, stacked by how they ended.
import type { CSSProperties } from 'react';
import { LOCALE } from '../locale.ts';
import { countOf, countText } from '../numbers.tsx';
import { dayText } from '../time.tsx';
import classes from './days-chart.module.css';
import { OUTCOMES, OutcomePart } from './outcome-part.tsx';

export interface DayCounts {
  day: string;
  ok: number;
  refused: number;
  limited: number;
  failed: number;
}

const short = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });

const LINES = 4;
const MAX_LABELS = 7;

/** The least round number above: 1, 2 or 5 with noughts, times the number of lines. */
function top(most: number): number {
  const step = Math.max(1, most / LINES);
  const power = 10 ** Math.floor(Math.log10(step));
  return LINES * power * ([1, 2, 5, 10].find((factor) => factor * power >= step) ?? 10);
}

export function DaysChart({ days }: { days: readonly DayCounts[] }) {
  const sum = (day: DayCounts) => day.ok + day.refused + day.limited + day.failed;
  const height = top(Math.max(...days.map(sum)));
  const every = Math.ceil(days.length / MAX_LABELS);
  return (
    <div className={classes.chart} aria-hidden>
      <div className={classes.plot}>
        {Array.from({ length: LINES + 1 }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order.
          <span key={line} className={classes.line} style={{ bottom: `${(line / LINES) * 100}%` }}>
            <span className={classes.scale}>{countText((height / LINES) * line)}</span>
          </span>
        ))}
        <div className={classes.days}>
          {days.map((day, index) => (
            <div key={day.day} className={classes.day} title={`${dayText(day.day)}: ${countOf(sum(day), 'call')}`}>
              {OUTCOMES.map(({ name }) => (
                <OutcomePart
                  key={name}
                  outcome={name}
                  className={classes.stacked}
                  style={{ '--share': `${(day[name] / height) * 100}%` } as CSSProperties}
                />
              ))}
              {index % every === 0 && <span className={classes.date}>{short.format(new Date(day.day))}</span>}
            </div>
          ))}
        </div>
      </div>
      <ul className={classes.legend}>
        {OUTCOMES.map(({ name, label }) => (
          <li key={name}>
            <OutcomePart outcome={name} className={classes.swatch} /> {label}
          </li>
        ))}
      </ul>
    </div>
  );
}
