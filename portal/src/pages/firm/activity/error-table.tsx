// Firm: the errors that the firm's systems met: what each means, and what to do about it.
import { Anchor, Text, VisuallyHidden } from '@mantine/core';
import { countText } from '../../../components/numbers.tsx';
import { type Column, DataTable } from '../../../components/table/data-table.tsx';
import classes from './activity.module.css';
import type { ActivityBody } from './activity-body.ts';
import { remedyOf } from './remedies.ts';

type ErrorRow = ActivityBody['byError'][number];

type Show = (code: string) => void;

const columns = (onShow: Show): readonly Column<ErrorRow>[] => [
  {
    id: 'code',
    header: 'Error',
    grow: 1.2,
    heading: true,
    cell: ({ code, status }) => (
      <>
        <span className={classes.code}>{code}</span>
        <Text size="xs" c="dimmed">
          Status {status}
        </Text>
      </>
    ),
  },
  {
    id: 'meaning',
    header: 'What it means, and what to do',
    grow: 3,
    cell: ({ code, message }) => (
      <>
        {message}
        <Text size="sm" c="dimmed">
          {remedyOf(code)}
        </Text>
      </>
    ),
  },
  {
    id: 'requests',
    header: 'Requests',
    align: 'end',
    grow: 0.6,
    cell: ({ code, requests }) => (
      <Anchor component="button" type="button" className={classes.see} onClick={() => onShow(code)}>
        {countText(requests)}
        <VisuallyHidden> calls with {code}</VisuallyHidden>
      </Anchor>
    ),
  },
];

interface ErrorTableProps {
  errors: readonly ErrorRow[];
  /** Leads to the calls that ended with the code. */
  onShow: Show;
}

export function ErrorTable({ errors, onShow }: ErrorTableProps) {
  return <DataTable label="Errors explained" columns={columns(onShow)} rows={errors} rowId={({ code }) => code} />;
}
