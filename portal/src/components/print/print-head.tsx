// Components: the head of a printed page: person and time.
import './print.css';
import { useViewer } from '../../session/viewer.ts';
import { momentText, ZONE } from '../time.tsx';
import classes from './print-head.module.css';
import { usePrintedAt } from './printed-at.ts';

/** Only on paper. */
export function PrintHead() {
  const { name, email } = useViewer();
  const { at } = usePrintedAt();
  return (
    <p className={`on-paper ${classes.head}`}>
      For <bdi>{name}</bdi>, {email}. Printed {momentText(at)}; times are those of {ZONE}.
    </p>
  );
}
