// Firm: all keys of the firm, with status and present use.
import { Button, NativeSelect } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useDeferredValue, useMemo } from 'react';
import { Link } from 'wouter';
import { countOf } from '../../../components/numbers.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Empty, NoMatch, Reading } from '../../../components/page/states.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { FilterBar, useFilters } from '../../../components/table/filter-bar.tsx';
import { isOneOf } from '../../../components/table/filter-options.ts';
import { FirmKeys } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import { PlanNotice, usePlanActive } from '../plan-notice.tsx';
import { FirmLimit } from './firm-limit.tsx';
import { KEY_COLUMNS, type KeyRow } from './key-columns.tsx';

function CreateButton() {
  const mayCreate = useIsDeveloper();
  const planActive = usePlanActive();
  return (
    mayCreate &&
    planActive && (
      <Button component={Link} href="/keys/new" leftSection={<IconPlus size={17} aria-hidden />}>
        Create key
      </Button>
    )
  );
}

export default function KeysPage() {
  const reading = useRead(FirmKeys, {}, { every: 15_000 });
  return (
    <>
      <PageHeader
        title="API keys"
        lead="With a key your systems read what clients have granted to it. Sandbox keys read sandbox clients only."
        actions={<CreateButton />}
      />
      <PlanNotice />
      <FirmLimit />
      <Reading of={reading}>{(rows) => (rows.length === 0 ? <NoKeys /> : <KeyList rows={rows} />)}</Reading>
    </>
  );
}

function NoKeys() {
  return (
    <Empty icon={IconKey} title="No keys yet" action={<CreateButton />}>
      A sandbox key makes the first calls, about sandbox clients. A production key comes when your integration is ready.
    </Empty>
  );
}

const ENVIRONMENTS = [
  { value: '', label: 'All' },
  { value: 'production', label: 'Production' },
  { value: 'sandbox', label: 'Sandbox' },
];

const STATUSES = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'rotated', label: 'Rotated' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
];

function KeyList({ rows }: { rows: readonly KeyRow[] }) {
  const { values, field, active, clear } = useFilters(['search', 'environment', 'status'], {
    environment: isOneOf(ENVIRONMENTS),
    status: isOneOf(STATUSES),
  });
  const search = useDeferredValue(values.search?.trim().toLowerCase() ?? '');
  const { environment, status } = values;
  const shown = useMemo(
    () => rows.filter((row) => matches(row, { search, environment, status })),
    [rows, search, environment, status],
  );
  return (
    <>
      <FilterBar active={active} onClear={clear}>
        <SearchInput label="Name or last four" {...field('search')} />
        <NativeSelect label="Environment" {...field('environment')} data={ENVIRONMENTS} />
        <NativeSelect label="Status" {...field('status')} data={STATUSES} />
      </FilterBar>
      {shown.length === 0 ? (
        <NoMatch title="No key matches" onClear={clear}>
          {countOf(rows.length, 'key is', 'keys are')} hidden by the filters.
        </NoMatch>
      ) : (
        <DataTable label="API keys" columns={KEY_COLUMNS} rows={shown} rowId="id" />
      )}
    </>
  );
}

interface KeyFilter {
  search: string;
  environment: string | null;
  status: string | null;
}

function matches(row: KeyRow, { search, environment, status }: KeyFilter): boolean {
  if (environment !== null && row.environment !== environment) return false;
  if (status !== null && row.status !== status) return false;
  return search === '' || row.name.toLowerCase().includes(search) || row.lastFour.toLowerCase().includes(search);
}
