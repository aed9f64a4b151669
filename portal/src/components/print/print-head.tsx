// Components: the head of what is printed: whose it is, and of which moment.
import './print.css';
import { useViewer } from '../../session/viewer.ts';
import { momentText, ZONE } from '../time.tsx';
import classes from './print-head.module.css';
import { usePrintedAt } from './printed-at.ts';

/** On paper alone. */
export function PrintHead() {
  const { name, email } = useViewer();
  const { at } = usePrintedAt();
  return (
    <p className={`on-paper ${classes.head}`}>
      For {name}, {email}. Printed {momentText(at)}; times are those of {ZONE}.
    </p>
  );
}
