// Firm: the latest calls one by one, filtered.
import { NativeSelect, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useDebounced } from '../../../components/debounced.ts';
import { Listing } from '../../../components/page/listing.tsx';
import { Section } from '../../../components/page/section.tsx';
import { Empty } from '../../../components/page/states.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { FilterBar, type Filters } from '../../../components/table/filter-bar.tsx';
import { Calls } from '../../../generated/operations.ts';
import { usePages } from '../../../graphql/hooks.ts';
import classes from './activity.module.css';
import { CALL_COLUMNS, type CallRow } from './call-columns.tsx';

export const CALL_FILTERS = ['key', 'endpoint', 'outcome', 'error', 'request'] as const;

/** Every call of the keys. */
export const NOT_NARROWED = { endpoint: null, outcome: null, error: null, request: null };

export type CallFilters = Filters<'days' | (typeof CALL_FILTERS)[number]>;

const ENDPOINTS = [
  'GET /api/v1/assets',
  'GET /api/v1/assets/{registry_id}',
  'GET /api/v1/assets/{registry_id}/valuations',
  'GET /api/v1/assets/{registry_id}/documents',
  'GET /api/v1/portfolio/summary',
];

/** Where on the page the calls are. */
export const CALLS = 'calls';

const OUTCOMES = [
  { value: '', label: 'All' },
  { value: 'ok', label: 'Answered' },
  { value: 'refused', label: 'Refused' },
  { value: 'limited', label: 'Over the limit' },
  { value: 'failed', label: 'Failed' },
];

const idOf = ({ requestId }: CallRow): string => requestId;

/** Characters of a request id, from its end, that find it. */
const SHORTEST_END = 4;

export function CallList({ filters }: { filters: CallFilters }) {
  const { values, set } = filters;
  const [requestId, waiting] = useDebounced(values.request ?? '');
  const variables = {
    keyId: values.key,
    endpoint: values.endpoint,
    outcome: values.outcome,
    errorCode: values.error,
    requestId: requestId.length < SHORTEST_END ? null : requestId,
    first: 25,
  };
  const narrowed = Object.keys(NOT_NARROWED).some((name) => values[name as keyof typeof NOT_NARROWED] !== null);
  return (
    <Section title="Latest calls" id={CALLS}>
      <FilterBar active={narrowed} onClear={() => set(NOT_NARROWED)}>
        <TextInput
          label="Request id"
          description="Or its last characters"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={values.request ?? ''}
          onChange={(event) => set({ request: event.currentTarget.value })}
        />
        <NativeSelect
          label="Outcome"
          value={values.outcome ?? ''}
          onChange={(event) => set({ outcome: event.currentTarget.value })}
          data={OUTCOMES}
        />
        <NativeSelect
          label="Endpoint"
          value={values.endpoint ?? ''}
          onChange={(event) => set({ endpoint: event.currentTarget.value })}
          data={[
            { value: '', label: 'All' },
            ...ENDPOINTS.map((endpoint) => ({ value: endpoint, label: endpoint.replace('/api/v1', '') })),
          ]}
        />
      </FilterBar>
      {values.error !== null && (
        <Text size="sm" mb="md">
          Only those that ended with <span className={classes.code}>{values.error}</span>.
        </Text>
      )}
      <CallTable variables={variables} waiting={waiting} />
    </Section>
  );
}

interface CallTableProps {
  variables: {
    keyId: string | null;
    endpoint: string | null;
    outcome: string | null;
    errorCode: string | null;
    requestId: string | null;
    first: number;
  };
  /** Another request id is being typed. */
  waiting: boolean;
}

function CallTable({ variables, waiting }: CallTableProps) {
  const reading = usePages(Calls, variables);
  const { hasNextPage, fetchNextPage } = reading;
  return (
    <Listing of={reading} waiting={waiting}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty icon={IconSearch} title="No calls">
            No call fits the filters. Calls of the last second may still be on their way here.
          </Empty>
        ) : (
          <DataTable
            label="Latest calls"
            columns={CALL_COLUMNS}
            rows={rows}
            rowId={idOf}
            onNearEnd={hasNextPage ? () => void fetchNextPage() : undefined}
          />
        )
      }
    </Listing>
  );
}
