// Firm: the columns of the list of calls.
import { Text } from '@mantine/core';
import { CopyText } from '../../../components/copy.tsx';
import { Outcome } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { Time } from '../../../components/time.tsx';
import type { Calls } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';
import classes from './activity.module.css';

export type CallRow = BodyOf<typeof Calls>['nodes'][number];

/** `req_…1C0D`: the end tells ids apart, the beginning is their time. */
const shortId = (id: string): string => `${id.slice(0, 4)}…${id.slice(-6)}`;

export const CALL_COLUMNS: readonly Column<CallRow>[] = [
  { id: 'at', header: 'When', min: '9.5rem', cell: ({ at }) => <Time at={at} as="exact" /> },
  {
    id: 'what',
    header: 'Call',
    grow: 2.2,
    heading: true,
    cell: ({ endpoint, registryId, clientId }) => (
      <>
        <span className={classes.code}>{pathOf(endpoint, registryId)}</span>
        <Text size="xs" c="dimmed" className="breakable">
          {clientId}
        </Text>
      </>
    ),
  },
  {
    id: 'key',
    header: 'Key',
    grow: 1.2,
    cell: ({ keyName }) => (
      <Text size="sm" lineClamp={2}>
        {keyName}
      </Text>
    ),
  },
  {
    id: 'outcome',
    header: 'Outcome',
    grow: 1.8,
    cell: ({ outcome, status, errorCode, errorMessage }) => (
      <>
        <Outcome outcome={outcome} /> <span className="numbers">{status}</span>
        {errorCode !== null && (
          <Text size="xs" c="dimmed" mt={2} title={errorMessage ?? undefined}>
            {errorMessage ?? errorCode}
          </Text>
        )}
      </>
    ),
  },
  {
    id: 'request',
    header: 'Request id',
    min: '9rem',
    cell: ({ requestId }) => <CopyText value={requestId} shown={shortId(requestId)} label="request id" />,
  },
];

function pathOf(endpoint: string, registryId: string | null): string {
  const path = endpoint.replace('/api/v1', '');
  return registryId === null ? path : path.replace('{registry_id}', registryId);
}
