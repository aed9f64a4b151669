// Client: the access record as a printable statement, with the calls that the record's filters include.
import { Box, Button, Group } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearch } from 'wouter';
import { lowerFirst } from '#core/first-letter.ts';
import { Dimmed } from '../../../components/dimmed.tsx';
import { countOf, countText } from '../../../components/numbers.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { type Fact, Facts } from '../../../components/page/section.tsx';
import { Reading, TableSkeleton } from '../../../components/page/states.tsx';
import { PrintHead } from '../../../components/print/print-head.tsx';
import { dateText, ZONE } from '../../../components/time.tsx';
import type { PorticoError } from '../../../graphql/portico-error.ts';
import { readText } from '../plain-words.ts';
import { type RecordQuery, useRecordFilters } from '../record/filters.ts';
import { Downloads } from '../record/record-filters.tsx';
import { readStatement, type Statement } from './read-statement.ts';
import { itemOf, StatementTable } from './statement-table.tsx';

export default function StatementPage() {
  const { query, values } = useRecordFilters();
  const search = useSearch();
  const [count, setCount] = useState(0);
  const reading = useQuery<Statement, PorticoError>({
    queryKey: ['statement', search],
    queryFn: ({ signal }) => readStatement(query, signal, setCount),
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
        lead="Calls that keys made about you, answered or refused, newest first."
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
      <Reading of={reading} skeleton={<ReadSoFar count={count} />}>
        {(statement) => (
          <>
            {!statement.complete && <Incomplete query={query} count={statement.rows.length} />}
            <Facts
              of={[...periodFacts(query, statement), ...countFacts(statement), ...filterFacts(values, statement)]}
            />
            {statement.rows.length > 0 && <StatementTable rows={statement.rows} />}
          </>
        )}
      </Reading>
    </>
  );
}

const ReadSoFar = ({ count }: { count: number }) => (
  <>
    <Dimmed mb="md" role="status">
      {count > 0 && `${countOf(count, 'call')} read so far…`}
    </Dimmed>
    <TableSkeleton rows={12} />
  </>
);

/** Only on the screen: on paper the facts say so. */
const Incomplete = ({ query, count }: { query: RecordQuery; count: number }) => (
  <Box className="off-paper" mb="lg">
    <Notice tone="warn" title={`These are the newest ${countText(count)} calls`}>
      There are more than can be printed at once. Choose a shorter period on the page before, or download all of them.
      <Group gap="xs" mt="sm">
        <Downloads query={query} />
      </Group>
    </Notice>
  </Box>
);

/** From the first to the last day, with or without calls; without a filter, from the first call. */
function periodFacts({ since, until }: RecordQuery, { rows, complete }: Statement): Fact[] {
  const oldest = rows.at(-1)?.at;
  const first = complete ? (since ?? oldest) : oldest;
  // `until` is the start of the next day.
  const last = until == null ? new Date().toISOString() : new Date(Date.parse(until) - 1).toISOString();
  const days = first == null ? [] : [dateText(first), dateText(last)];
  return [
    ['Period', days.length === 0 ? `Until ${dateText(last)}` : [...new Set(days)].join(' to ')],
    ['Times are those of', ZONE],
  ];
}

function countFacts({ rows, complete }: Statement): Fact[] {
  const allowed = rows.filter(({ outcome }) => outcome === 'allowed').length;
  return [
    ['Calls', complete ? countText(rows.length) : `The newest ${countText(rows.length)}; earlier ones are left out`],
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
function filterFacts(values: ReturnType<typeof useRecordFilters>['values'], { rows }: Statement): Fact[] {
  const { who, outcome, endpoint, item } = values;
  const [row] = rows;
  // The row of a list that contained the item does not name it.
  const ofItem = rows.find(({ registryId }) => registryId === item);
  const parts = [
    who === null ? null : who.startsWith('frm_') ? (row?.firmName ?? who) : `the key ${row?.keyName ?? who}`,
    outcome === null ? null : (CALLS_THAT[outcome] ?? outcome),
    endpoint === null ? null : lowerFirst(readText(endpoint)),
    item === null ? null : ofItem === undefined ? item : itemOf(ofItem),
  ].filter((part) => part !== null);
  return parts.length === 0 ? [] : [['Only', parts.join('; ')]];
}
