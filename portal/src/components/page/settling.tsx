// Components: marks content that is older than the chosen filter, until the new content is loaded, so that it is not
// mistaken for the result.
import type { ReactNode } from 'react';
import classes from './settling.module.css';

export function Settling({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <div className={classes.settling} aria-busy={busy}>
      {children}
    </div>
  );
}
