// Firm: the latest calls one by one, filtered.
import { NativeSelect, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useDebounced } from '../../../components/debounced.ts';
import { Listing } from '../../../components/page/listing.tsx';
import { Section } from '../../../components/page/section.tsx';
import { Empty } from '../../../components/page/states.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { FilterBar, type Filters } from '../../../components/table/filter-bar.tsx';
import { Calls } from '../../../generated/operations.ts';
import { usePages } from '../../../graphql/hooks.ts';
import { CALL_COLUMNS, type CallRow } from './call-columns.tsx';

export const CALL_FILTERS = ['key', 'endpoint', 'outcome', 'request'] as const;

export type CallFilters = Filters<'days' | (typeof CALL_FILTERS)[number]>;

const ENDPOINTS = [
  'GET /api/v1/assets',
  'GET /api/v1/assets/{registry_id}',
  'GET /api/v1/assets/{registry_id}/valuations',
  'GET /api/v1/assets/{registry_id}/documents',
  'GET /api/v1/portfolio/summary',
];

const OUTCOMES = [
  { value: '', label: 'All' },
  { value: 'ok', label: 'Answered' },
  { value: 'refused', label: 'Refused' },
  { value: 'limited', label: 'Over the limit' },
  { value: 'failed', label: 'Failed' },
];

const idOf = ({ requestId }: CallRow): string => requestId;

const none = (value: string): string | null => (value === '' ? null : value);

export function CallList({ filters }: { filters: CallFilters }) {
  const { values, set } = filters;
  const [requestId, waiting] = useDebounced(values.request ?? '');
  const variables = {
    keyId: values.key,
    endpoint: values.endpoint,
    outcome: values.outcome,
    requestId: none(requestId),
    first: 100,
  };
  const narrowed = values.endpoint !== null || values.outcome !== null || values.request !== null;
  return (
    <Section title="Latest calls">
      <FilterBar active={narrowed} onClear={() => set({ endpoint: null, outcome: null, request: null })}>
        <TextInput
          label="Request id"
          placeholder="req_…"
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
      <CallTable variables={variables} waiting={waiting} />
    </Section>
  );
}

interface CallTableProps {
  variables: {
    keyId: string | null;
    endpoint: string | null;
    outcome: string | null;
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
