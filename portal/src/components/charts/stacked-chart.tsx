// Components: bars by time, stacked by outcome. Its content is also beside it as text or a table.
import type { CSSProperties } from 'react';
import { countText } from '../numbers.tsx';
import { OutcomePart, type PartName } from './outcome-part.tsx';
import classes from './stacked-chart.module.css';

interface Bar {
  id: string;
  /** Shown beside the pointer. */
  title: string;
  /** Shown below the bar; not every bar has room for one. */
  mark?: string | undefined;
  counts: Partial<Record<PartName, number>>;
}

export interface Part {
  name: PartName;
  label: string;
}

const LINES = 4;

/** The smallest round maximum: 1, 2 or 5 times a power of ten, times the number of lines. */
function top(most: number): number {
  const step = Math.max(1, most / LINES);
  const power = 10 ** Math.floor(Math.log10(step));
  return LINES * power * ([1, 2, 5, 10].find((factor) => factor * power >= step) ?? 10);
}

/** `parts` in the order of the stack. */
export function StackedChart({ bars, parts }: { bars: readonly Bar[]; parts: readonly Part[] }) {
  const sum = ({ counts }: Bar) => parts.reduce((total, { name }) => total + (counts[name] ?? 0), 0);
  const height = top(Math.max(...bars.map(sum)));
  return (
    <div aria-hidden>
      <div className={classes.plot}>
        {Array.from({ length: LINES + 1 }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order.
          <span key={line} className={classes.line} style={{ bottom: `${(line / LINES) * 100}%` }}>
            <span className={classes.scale}>{countText((height / LINES) * line)}</span>
          </span>
        ))}
        <div className={classes.bars}>
          {bars.map(({ id, title, mark, counts }) => (
            <div key={id} className={classes.bar} title={title}>
              {parts.map(({ name }) => (
                <OutcomePart
                  key={name}
                  outcome={name}
                  className={classes.stacked}
                  style={{ '--share': `${((counts[name] ?? 0) / height) * 100}%` } as CSSProperties}
                />
              ))}
              {mark !== undefined && <span className={classes.mark}>{mark}</span>}
            </div>
          ))}
        </div>
      </div>
      <ul className={classes.legend}>
        {parts.map(({ name, label }) => (
          <li key={name}>
            <OutcomePart outcome={name} className={classes.swatch} /> {label}
          </li>
        ))}
      </ul>
    </div>
  );
}
