// Firm: the latest calls one by one, filtered.
import { NativeSelect, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { OUTCOMES } from '../../../components/charts/outcome-part.tsx';
import { boundsOf, isDay, LAST_DAY } from '../../../components/day.ts';
import { useDebounced } from '../../../components/debounced.ts';
import { countOf } from '../../../components/numbers.tsx';
import { Listing } from '../../../components/page/listing.tsx';
import { Section } from '../../../components/page/section.tsx';
import { Empty } from '../../../components/page/states.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { FilterBar, type Filters } from '../../../components/table/filter-bar.tsx';
import { filterOptions, isOneOf } from '../../../components/table/filter-options.ts';
import { Calls, type CallsQueryVariables } from '../../../generated/operations.ts';
import { usePages } from '../../../graphql/hooks.ts';
import classes from './activity.module.css';
import { CALL_COLUMNS } from './call-columns.tsx';
import { endpointLabel } from './endpoint-label.ts';
import { STATUSES, statusText } from './status-text.ts';

export const CALL_FILTERS = ['key', 'endpoint', 'outcome', 'status', 'day', 'error', 'request'] as const;

const OUTCOME_OPTIONS = OUTCOMES.map(({ name, label }) => ({ value: name, label }));

/** The values of filters that cannot have any. */
export const KNOWN = {
  outcome: isOneOf(OUTCOME_OPTIONS),
  status: (value: string): boolean => /^[1-5]\d\d$/.test(value),
  day: isDay,
};

/** No filters: all calls of the keys. */
export const NOT_NARROWED = { endpoint: null, outcome: null, status: null, day: null, error: null, request: null };

export type CallFilters = Filters<'days' | (typeof CALL_FILTERS)[number]>;

const ENDPOINTS = [
  'GET /api/v1/assets',
  'GET /api/v1/assets/{registry_id}',
  'GET /api/v1/assets/{registry_id}/valuations',
  'GET /api/v1/assets/{registry_id}/documents',
  'GET /api/v1/portfolio/summary',
  'GET *',
];

/** Fragment of the list of calls. */
export const CALLS = 'calls';

/** Minimum number of characters, from the end of a request id, to search for. */
const SHORTEST_END = 4;

interface CallListProps {
  filters: CallFilters;
  /** How many calls in the time span are counted but not listed. */
  unlisted: number;
}

export function CallList({ filters, unlisted }: CallListProps) {
  const { values, set, field } = filters;
  const [requestId, waiting] = useDebounced(values.request ?? '');
  const day = boundsOf(values.day);
  const variables = {
    keyId: values.key,
    endpoint: values.endpoint,
    outcome: values.outcome,
    status: values.status === null ? null : Number(values.status),
    since: day?.begins.toISOString() ?? null,
    until: day?.ends.toISOString() ?? null,
    errorCode: values.error,
    requestId: requestId.length < SHORTEST_END ? null : requestId,
    first: 25,
  };
  const narrowed = Object.keys(NOT_NARROWED).some((name) => values[name as keyof typeof NOT_NARROWED] !== null);
  return (
    <Section title="Latest calls" id={CALLS}>
      <FilterBar active={narrowed} onClear={() => set(NOT_NARROWED)}>
        <SearchInput label="Request id" description="Or its last characters" {...field('request')} />
        <NativeSelect label="Outcome" {...field('outcome')} data={[{ value: '', label: 'All' }, ...OUTCOME_OPTIONS]} />
        <NativeSelect
          label="Endpoint"
          {...field('endpoint')}
          data={filterOptions(
            values.endpoint,
            ENDPOINTS.map((endpoint) => ({ value: endpoint, label: endpointLabel(endpoint) })),
            { all: 'All', chosen: endpointLabel(values.endpoint ?? '') },
          )}
        />
        <NativeSelect
          label="Status"
          {...field('status')}
          data={filterOptions(
            values.status,
            STATUSES.map((status) => ({ value: `${status}`, label: statusText(status) })),
            { all: 'All', chosen: statusText(Number(values.status)) },
          )}
        />
        <TextInput type="date" label="Day" max={LAST_DAY} {...field('day')} />
      </FilterBar>
      {values.error !== null && (
        <Text size="sm" mb="md">
          Only those that ended with <span className={classes.code}>{values.error}</span>.
        </Text>
      )}
      {unlisted > 0 && (
        <Text size="sm" mb="md">
          {countOf(unlisted, 'refused call')} of this time {unlisted === 1 ? 'is' : 'are'} counted above and not listed:
          if a key has many in one minute, only about 60 of them are.
        </Text>
      )}
      <CallTable variables={variables} waiting={waiting} />
    </Section>
  );
}

interface CallTableProps {
  variables: CallsQueryVariables;
  /** Whether another request id is being typed. */
  waiting: boolean;
}

function CallTable({ variables, waiting }: CallTableProps) {
  const reading = usePages(Calls, variables);
  return (
    <Listing of={reading} waiting={waiting}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty icon={IconSearch} title="No calls">
            No call fits the filters. Calls of the last second may still be missing.
          </Empty>
        ) : (
          <DataTable
            label="Latest calls"
            columns={CALL_COLUMNS}
            rows={rows}
            rowId="requestId"
            onNearEnd={reading.next.onNearEnd}
          />
        )
      }
    </Listing>
  );
}
