// Firm: the columns of the list of calls.
import { Text } from '@mantine/core';
import { CopyText } from '../../../components/copy.tsx';
import { Dimmed } from '../../../components/dimmed.tsx';
import { Outcome } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { Time } from '../../../components/time.tsx';
import { KeyEnd } from '../keys/key-end.tsx';
import classes from './activity.module.css';
import { CallDetails, type CallRow } from './call-details.tsx';
import { calledPath } from './endpoint-label.ts';

/** `req_…1C0D`: the end distinguishes ids; the beginning is a time. */
const shortId = (id: string): string => `${id.slice(0, 4)}…${id.slice(-6)}`;

export const CALL_COLUMNS: readonly Column<CallRow>[] = [
  { header: 'When', min: '9.5rem', cell: ({ at }) => <Time at={at} as="exact" /> },
  {
    header: 'Call',
    grow: 2.2,
    heading: true,
    cell: ({ endpoint, registryId, path, clientId }) => (
      <>
        <span className={classes.code}>{calledPath(endpoint, registryId, path)}</span>
        <Dimmed size="xs" className="breakable">
          {clientId ?? 'No client named'}
        </Dimmed>
      </>
    ),
  },
  {
    header: 'Key',
    grow: 1.2,
    cell: ({ keyId, keyName }) => (
      <>
        <Text size="sm" lineClamp={2} dir="auto">
          {keyName}
        </Text>
        <Dimmed size="xs">
          <KeyEnd of={keyId} />
        </Dimmed>
      </>
    ),
  },
  {
    header: 'Outcome',
    grow: 1.8,
    cell: ({ outcome, status, errorCode, errorMessage, param }) => (
      <>
        <Outcome outcome={outcome} /> <span className="numbers">{status}</span>
        {errorCode !== null && (
          <Dimmed size="xs" mt={2} className="breakable">
            {errorMessage ?? errorCode}
            {param !== null && !errorMessage?.includes(param) && ` (${param})`}
          </Dimmed>
        )}
      </>
    ),
  },
  {
    header: 'Request id',
    min: '9rem',
    cell: (call) => (
      <>
        <CopyText value={call.requestId} shown={shortId(call.requestId)} label="request id" />
        <CallDetails call={call} />
      </>
    ),
  },
];
