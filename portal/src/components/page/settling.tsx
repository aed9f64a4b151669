// Components: what was read before a filter changed, until what was asked for is there: marked, so that nobody takes it
// for the answer.
import type { ReactNode } from 'react';
import classes from './settling.module.css';

export function Settling({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className={classes.settling} aria-busy={busy}>
      {children}
    </div>
  );
}
