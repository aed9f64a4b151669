// Client: who read what and when, allowed and refused.
import { Button } from '@mantine/core';
import { IconListSearch, IconPrinter, IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useSearch } from 'wouter';
import { Dimmed } from '../../../components/dimmed.tsx';
import { Listing } from '../../../components/page/listing.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Empty, NoMatch } from '../../../components/page/states.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { AccessRecord } from '../../../generated/operations.ts';
import { type PagesReading, usePages } from '../../../graphql/hooks.ts';
import '../../../components/print/print.css';
import { useViewer } from '../../../session/viewer.ts';
import { useRecordFilters } from './filters.ts';
import { CheckButton, CheckResult, useRecordCheck } from './record-check.tsx';
import { RECORD_COLUMNS } from './record-columns.tsx';
import { Downloads, RecordFilters } from './record-filters.tsx';
import type { RecordRow } from './record-items.tsx';

export default function RecordPage() {
  const filters = useRecordFilters();
  const { userId } = useViewer();
  const reading = usePages(AccessRecord, { ...filters.query, first: 200 });
  const check = useRecordCheck(userId);
  return (
    <>
      <PageHeader
        title="Access record"
        lead="Every call that a key made about you, answered or refused, newest first. It is on record within a second."
        actions={
          <>
            <CheckButton of={check} calls={reading.rows} />
            <Refresh />
            <PrintLink />
            <Downloads query={filters.query} />
          </>
        }
      />
      <OnlyOnScreen />
      <div className="off-paper">
        <CheckResult of={check} calls={reading.rows} />
        <RecordFilters filters={filters} />
        {filters.query.registryId !== undefined && (
          <Dimmed mb="md">
            Calls that named this item, or whose answers carried it. Totals, and answers whose items are not all on
            record, cannot say which items they were made of: they are listed where what you shared covered this item
            then.
          </Dimmed>
        )}
        <RecordList of={reading} filtered={filters.active} onClear={filters.clear} />
      </div>
    </>
  );
}

/** Printing this page would print only the visible rows, as if they were all. */
const OnlyOnScreen = () => (
  <p className="on-paper">This is not the record. To print the record, choose “Print” on the page.</p>
);

/** Reads from the top again: neither this nor returning to the page reads all loaded pages again. */
function Refresh() {
  const client = useQueryClient();
  useEffect(() => () => client.removeQueries({ queryKey: [AccessRecord.name] }), [client]);
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} aria-hidden />}
      onClick={() => void client.resetQueries({ queryKey: [AccessRecord.name] })}
    >
      Refresh
    </Button>
  );
}

/** Prints all filtered calls, since this page has only the visible ones. */
function PrintLink() {
  const search = useSearch();
  return (
    <Button
      component={Link}
      href={`/record/statement${search === '' ? '' : `?${search}`}`}
      variant="default"
      leftSection={<IconPrinter size={16} aria-hidden />}
    >
      Print
    </Button>
  );
}

interface RecordListProps {
  of: PagesReading<RecordRow>;
  filtered: boolean;
  onClear: () => void;
}

function RecordList({ of: reading, filtered, onClear }: RecordListProps) {
  return (
    <Listing of={reading} skeletonRows={8} end="The end of the record.">
      {(rows) =>
        rows.length === 0 ? (
          <NoCalls filtered={filtered} onClear={onClear} />
        ) : (
          <DataTable
            label="Access record"
            columns={RECORD_COLUMNS}
            rows={rows}
            rowId="requestId"
            onNearEnd={reading.next.onNearEnd}
          />
        )
      }
    </Listing>
  );
}

function NoCalls({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered)
    return (
      <Empty icon={IconListSearch} title="Nobody has called yet">
        As soon as a key reads something of yours, or tries to, it appears here.
      </Empty>
    );
  return (
    <NoMatch title="No call matches" onClear={onClear}>
      Nothing on record matches these filters.
    </NoMatch>
  );
}
