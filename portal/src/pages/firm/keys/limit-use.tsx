// Firm: the present use of a limit, and its refusals.
import type { ReactNode } from 'react';
import { Dimmed } from '../../../components/dimmed.tsx';
import { Meter } from '../../../components/meter.tsx';
import { countText } from '../../../components/numbers.tsx';
import classes from './keys.module.css';

interface LimitUseProps {
  figures: { used: number; limit: number; refused: number };
  /** Shown below the meter if nothing was refused. */
  children: ReactNode;
}

export function LimitUse({ figures: { used, limit, refused }, children }: LimitUseProps) {
  return (
    <>
      <Meter used={used} limit={limit} />
      <Dimmed size="xs" mt={4}>
        {refused > 0 ? <span className={classes.refused}>{countText(refused)} refused</span> : children}
      </Dimmed>
    </>
  );
}
