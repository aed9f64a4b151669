// Client: the columns of the access record. Plain elements, since every jump renders a screenful of rows.
import { VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopy } from '../../../components/copy.tsx';
import { Outcome } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { Time } from '../../../components/time.tsx';
import { outcomeNote, readText } from '../plain-words.ts';
import { Party } from './party.tsx';
import classes from './record.module.css';
import { Carried, type RecordRow } from './record-items.tsx';

export const RECORD_COLUMNS: readonly Column<RecordRow>[] = [
  {
    header: 'What was read',
    grow: 1.7,
    heading: true,
    cell: (row) => (
      <>
        <div className={classes.what}>
          {row.registryId === null ? readText(row.endpoint) : (row.itemTitle ?? row.registryId)}
        </div>
        {row.registryId !== null && <div className={classes.more}>{readText(row.endpoint)}</div>}
        <Carried row={row} />
      </>
    ),
  },
  {
    header: 'By whom',
    grow: 1.6,
    cell: ({ firmName, keyName, toolRole }) => (
      <>
        <div className={classes.short} title={firmName}>
          <Party firmName={firmName} toolRole={toolRole} />
        </div>
        <div className={`${classes.more} ${classes.short}`} dir="auto" title={keyName}>
          {keyName}
        </div>
      </>
    ),
  },
  {
    header: 'When',
    min: '9.5rem',
    grow: 0.8,
    cell: ({ at }) => <Time at={at} as="exact" />,
  },
  {
    header: 'Outcome',
    min: '9rem',
    grow: 1.4,
    cell: (row) => (
      <>
        <Outcome outcome={row.outcome} />
        <div className={classes.more}>{outcomeNote(row, 3)}</div>
      </>
    ),
  },
  {
    header: 'Request',
    min: '7.5rem',
    grow: 0.4,
    cell: ({ requestId }) => <RequestId id={requestId} />,
  },
];

/** The end of the id, which distinguishes it; a press copies all of it. */
function RequestId({ id }: { id: string }) {
  const shown = `…${id.slice(-6)}`;
  const { copied, copy } = useCopy({ value: id, label: 'request id', shown });
  const Icon = copied ? IconCheck : IconCopy;
  return (
    <button type="button" className={classes.request} onClick={copy} title={id}>
      <VisuallyHidden>Copy request id</VisuallyHidden>
      {shown}
      <Icon size={15} aria-hidden />
    </button>
  );
}
