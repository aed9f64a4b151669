// Components: events, newest first.
import type { ReactNode } from 'react';
import { Time } from './time.tsx';
import classes from './timeline.module.css';

interface TimelineRow {
  id: string;
  at: string;
  /** The event, and its actor. */
  what: ReactNode;
  /** Details below. */
  detail?: ReactNode;
}

export function Timeline({ rows }: { rows: readonly TimelineRow[] }) {
  return (
    <ol className={classes.timeline}>
      {rows.map(({ id, at, what, detail }) => (
        <li key={id}>
          <div className={classes.what}>{what}</div>
          {detail && <div className={classes.detail}>{detail}</div>}
          <div className={classes.at}>
            <Time at={at} />
          </div>
        </li>
      ))}
    </ol>
  );
}
