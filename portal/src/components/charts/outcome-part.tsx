// Components: outcomes of requests, in the same order and colours in every chart.
import type { CSSProperties } from 'react';
import type { Outcome } from '#core/outcome.ts';
import classes from './outcome-part.module.css';

/** In the order of a stack. */
export const OUTCOMES: readonly { name: Outcome; label: string }[] = [
  { name: 'ok', label: 'Answered' },
  { name: 'refused', label: 'Refused' },
  { name: 'limited', label: 'Over the limit' },
  { name: 'failed', label: 'Failed' },
];

/** Also requests that were admitted near a limit, or that only shadow mode let pass. */
export type PartName = Outcome | 'near' | 'let_pass';

interface OutcomePartProps {
  outcome: PartName;
  className?: string | undefined;
  style?: CSSProperties;
}

export function OutcomePart({ outcome, className = '', style }: OutcomePartProps) {
  return <span className={`${classes.part} ${className}`} data-outcome={outcome} style={style} />;
}
