// Client: the access record as a printable statement, with every call that the record's filters include.
import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { countOf, countText } from '../../../components/numbers.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Facts } from '../../../components/page/section.tsx';
import { Reading, TableSkeleton } from '../../../components/page/states.tsx';
import { PrintHead } from '../../../components/print/print-head.tsx';
import { dateText, ZONE } from '../../../components/time.tsx';
import { exchange } from '../../../graphql/exchange.ts';
import type { PorticoError } from '../../../graphql/portico-error.ts';
import { lower, readText } from '../plain-words.ts';
import { downloadPath, type RecordQuery, useRecordFilters } from '../record/filters.ts';
import { itemOf, type StatementRow, StatementTable } from './statement-table.tsx';

export default function StatementPage() {
  const { query, values } = useRecordFilters();
  const search = useSearch();
  const path = downloadPath('json', query);
  const reading = useQuery<StatementRow[], PorticoError>({
    queryKey: ['statement', search],
    queryFn: ({ signal }) => exchange(path, undefined, { signal }) as Promise<StatementRow[]>,
    // All rows are as of the time when the page was opened, whatever is done meanwhile.
    staleTime: 'static',
    gcTime: 0,
  });
  const { data } = reading;
  return (
    <>
      <PageHeader
        title="Access record for printing"
        back={{ to: `/record${search === '' ? '' : `?${search}`}`, label: 'Access record' }}
        lead="Every call that a key made about you, answered or refused, newest first."
        actions={
          <Button
            onClick={() => window.print()}
            disabled={data === undefined}
            leftSection={<IconPrinter size={16} aria-hidden />}
          >
            Print
          </Button>
        }
      />
      <PrintHead />
      <Reading of={reading} skeleton={<TableSkeleton rows={12} />}>
        {(rows) => (
          <>
            <Facts of={[...periodFacts(query, rows), ...countFacts(rows), ...filterFacts(values, rows)]} />
            {rows.length > 0 && <StatementTable rows={rows} />}
          </>
        )}
      </Reading>
    </>
  );
}

type Fact = readonly [string, string];

/** From the first to the last day, with or without calls; without a filter, from the first recorded call. */
function periodFacts({ since, until }: RecordQuery, rows: readonly StatementRow[]): Fact[] {
  const first = since ?? rows.at(-1)?.at;
  // `until` is the start of the next day.
  const last = until == null ? new Date().toISOString() : new Date(Date.parse(until) - 1).toISOString();
  const days = first == null ? [] : [dateText(first), dateText(last)];
  return [
    ['Period', days.length === 0 ? `Until ${dateText(last)}` : [...new Set(days)].join(' to ')],
    ['Times are those of', ZONE],
  ];
}

function countFacts(rows: readonly StatementRow[]): Fact[] {
  const allowed = rows.filter(({ outcome }) => outcome === 'allowed').length;
  return [
    ['Calls', countText(rows.length)],
    ['Of which', `${countOf(allowed, 'allowed', 'allowed')}, ${countText(rows.length - allowed)} not`],
  ];
}

const CALLS_THAT: Record<string, string> = {
  allowed: 'calls that were allowed',
  refused: 'calls that were refused',
  limited: 'calls over the limit',
  failed: 'calls that failed',
};

/** The filters, stated so that a part is not mistaken for the whole. */
function filterFacts(values: ReturnType<typeof useRecordFilters>['values'], rows: readonly StatementRow[]): Fact[] {
  const { who, outcome, endpoint, item } = values;
  const [row] = rows;
  // The row of a list that contained the item does not name it.
  const ofItem = rows.find(({ registry_id }) => registry_id === item);
  const parts = [
    who === null ? null : who.startsWith('frm_') ? (row?.firm ?? who) : `the key ${row?.key ?? who}`,
    outcome === null ? null : (CALLS_THAT[outcome] ?? outcome),
    endpoint === null ? null : lower(readText(endpoint)),
    item === null ? null : ofItem === undefined ? item : itemOf(ofItem),
  ].filter((part) => part !== null);
  return parts.length === 0 ? [] : [['Only', parts.join('; ')]];
}
