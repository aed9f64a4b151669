// Firm: all grants by client and key, and pending requests.
import { Button, NativeSelect } from '@mantine/core';
import { IconClockExclamation, IconPlus, IconUserShield } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EXPIRING_DAYS } from '#core/periods.ts';
import { useDebounced } from '../../../components/debounced.ts';
import { countOf } from '../../../components/numbers.tsx';
import { Listing } from '../../../components/page/listing.tsx';
import { Notice } from '../../../components/page/notice.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Empty, NoMatch } from '../../../components/page/states.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { FilterBar, useFilters } from '../../../components/table/filter-bar.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { GrantCounts, Grants } from '../../../generated/operations.ts';
import { usePages, useRead } from '../../../graphql/hooks.ts';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import { useKeyFilter } from '../keys/use-key-filter.ts';
import { GRANT_COLUMNS } from './grant-columns.tsx';
import { STATUS_FILTERS, type StatusFilter, StatusTabs } from './status-tabs.tsx';

const AskButton = () =>
  useIsDeveloper() && (
    <Button component={Link} href="/access/ask" leftSection={<IconPlus size={17} aria-hidden />}>
      Ask for access
    </Button>
  );

export default function AccessPage() {
  const filters = useFilters(['show', 'search', 'key']);
  const { show, search: typed, key } = filters.values;
  const [search, waiting] = useDebounced(typed ?? '');
  const filtered = typed !== null || key !== null;
  const clear = () => filters.set({ search: null, key: null });
  const keys = useKeyFilter(key);
  const counts = useRead(GrantCounts, {}).data;
  const statusFilter: StatusFilter = STATUS_FILTERS.find(({ id }) => id === show) ?? STATUS_FILTERS[0];
  return (
    <>
      <PageHeader
        title="Access"
        lead="What clients let your keys see, and until when. Clients change and end it themselves, at any time."
        actions={<AskButton />}
      />
      {counts !== undefined && counts.expiringSoon > 0 && statusFilter.id !== 'expiring' && (
        <ExpiringSoon count={counts.expiringSoon} />
      )}
      <StatusTabs counts={counts} statusFilter={statusFilter} onChange={(id) => filters.set({ show: id })}>
        <FilterBar active={filtered} onClear={clear}>
          <SearchInput label="Client" placeholder="Name or e-mail" {...filters.field('search')} />
          <NativeSelect label="Key" {...filters.field('key')} data={keys} />
        </FilterBar>
        <GrantList
          statusFilter={statusFilter}
          search={search}
          waiting={waiting}
          keyId={key}
          filtered={filtered}
          onClear={clear}
        />
      </StatusTabs>
    </>
  );
}

function ExpiringSoon({ count }: { count: number }) {
  return (
    <Notice tone="warn" icon={IconClockExclamation} mb="xl">
      {countOf(count, 'grant ends', 'grants end')} within {EXPIRING_DAYS} days.{' '}
      <TextLink href="/access?show=expiring" c="inherit" fz="inherit">
        See which
      </TextLink>
    </Notice>
  );
}

interface GrantListProps {
  statusFilter: StatusFilter;
  search: string;
  /** Whether another search is being typed. */
  waiting: boolean;
  keyId: string | null;
  filtered: boolean;
  onClear: () => void;
}

function GrantList({ statusFilter, search, waiting, keyId, filtered, onClear }: GrantListProps) {
  const { status, expiringSoon } = statusFilter;
  const variables = { status, expiringSoon, search: search === '' ? null : search, keyId, first: 100 };
  const reading = usePages(Grants, variables);
  return (
    <Listing of={reading} waiting={waiting}>
      {(rows, total) =>
        rows.length > 0 ? (
          <DataTable
            label={statusFilter.label}
            columns={GRANT_COLUMNS}
            rows={rows}
            rowId="id"
            total={total}
            onNearEnd={reading.next.onNearEnd}
          />
        ) : filtered ? (
          <NoMatch title="No grant matches" onClear={onClear}>
            Try a part of the client’s name or e-mail address, or another key.
          </NoMatch>
        ) : (
          <Empty
            icon={IconUserShield}
            title={statusFilter.empty}
            action={statusFilter.id === 'active' ? <AskButton /> : null}
          >
            {statusFilter.emptyText}
          </Empty>
        )
      }
    </Listing>
  );
}
