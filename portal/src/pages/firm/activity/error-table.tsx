// Firm: errors in the firm's calls, with their meaning and remedy.
import { Anchor, VisuallyHidden } from '@mantine/core';
import { errorReference, remedyOf } from '#core/remedies.ts';
import { Dimmed } from '../../../components/dimmed.tsx';
import { countText } from '../../../components/numbers.tsx';
import { type Column, DataTable } from '../../../components/table/data-table.tsx';
import type { ActivityQuery } from '../../../generated/operations.ts';
import classes from './activity.module.css';

type ErrorRow = ActivityQuery['body']['byError'][number];

type Show = (code: string) => void;

const columns = (onShow: Show): readonly Column<ErrorRow>[] => [
  {
    header: 'Error',
    grow: 1.2,
    heading: true,
    cell: ({ code, status }) => (
      <>
        <ErrorCode code={code} />
        <Dimmed size="xs">Status {status}</Dimmed>
      </>
    ),
  },
  {
    header: 'What it means, and what to do',
    grow: 3,
    cell: ({ code, message }) => (
      <>
        {message}
        <Dimmed>{remedyOf(code)}</Dimmed>
      </>
    ),
  },
  {
    header: 'Requests',
    align: 'end',
    grow: 0.6,
    cell: ({ code, requests }) => (
      <Anchor component="button" type="button" onClick={() => onShow(code)}>
        {countText(requests)}
        <VisuallyHidden> calls with {code}</VisuallyHidden>
      </Anchor>
    ),
  },
];

/** Links to the code in the reference, if it is described there. */
function ErrorCode({ code }: { code: string }) {
  const href = errorReference(code);
  if (href === null) return <span className={classes.code}>{code}</span>;
  return (
    <Anchor href={href} underline="always" className={classes.code}>
      {code}
    </Anchor>
  );
}

interface ErrorTableProps {
  errors: readonly ErrorRow[];
  /** Shows the calls with this code. */
  onShow: Show;
}

export function ErrorTable({ errors, onShow }: ErrorTableProps) {
  return <DataTable label="Errors explained" columns={columns(onShow)} rows={errors} rowId="code" />;
}
