// Firm: the acts of its members, and of operations, at the firm.
import { Anchor, Button, NativeSelect, Text } from '@mantine/core';
import { IconDownload, IconListDetails } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Dimmed } from '../../../components/dimmed.tsx';
import { Listing } from '../../../components/page/listing.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Empty, NoMatch } from '../../../components/page/states.tsx';
import { type Column, DataTable } from '../../../components/table/data-table.tsx';
import { FilterBar, useFilters } from '../../../components/table/filter-bar.tsx';
import { isOneOf } from '../../../components/table/filter-options.ts';
import { Time } from '../../../components/time.tsx';
import { FirmEvents } from '../../../generated/operations.ts';
import { usePages } from '../../../graphql/hooks.ts';
import { type Act, actText, detailText, subjectPath } from './act-words.tsx';

const GROUPS = [
  { value: '', label: 'Everything' },
  { value: 'members', label: 'Members' },
  { value: 'keys', label: 'Keys' },
  { value: 'requests', label: 'Requests' },
  { value: 'settings', label: 'Settings' },
];

const COLUMNS: readonly Column<Act>[] = [
  {
    header: 'What',
    grow: 2.4,
    heading: true,
    cell: (act) => <What act={act} />,
  },
  { header: 'Who', grow: 1.2, min: '8rem', cell: ({ actor }) => <bdi>{actor.name}</bdi> },
  { header: 'When', min: '11rem', cell: ({ at }) => <Time at={at} /> },
];

function What({ act }: { act: Act }) {
  const path = subjectPath(act);
  const detail = detailText(act);
  return (
    <>
      {path === null ? (
        <Text fw={500} component="span" className="breakable">
          {actText(act)}
        </Text>
      ) : (
        <Anchor component={Link} href={path} fw={500} c="inherit" className="breakable">
          {actText(act)}
        </Anchor>
      )}
      {detail !== null && (
        <Dimmed className="breakable" dir="auto">
          {detail}
        </Dimmed>
      )}
    </>
  );
}

export default function AuditPage() {
  const { values, field, active, clear } = useFilters(['group'], { group: isOneOf(GROUPS) });
  const reading = usePages(FirmEvents, { first: 50, group: values.group });
  return (
    <>
      <PageHeader
        title="Audit"
        lead="What members did here, and what Portico’s staff did for your firm. Entries are never removed."
      />
      <FilterBar active={active} onClear={clear} actions={<Exports group={values.group} />}>
        <NativeSelect label="About" {...field('group')} data={GROUPS} />
      </FilterBar>
      <Listing of={reading} more="Show earlier acts" end="There are no earlier acts.">
        {(acts) =>
          acts.length === 0 && active ? (
            <NoMatch onClear={clear}>Nothing of this kind is on record.</NoMatch>
          ) : acts.length === 0 ? (
            <Empty icon={IconListDetails} title="Nothing has happened yet">
              Invitations, roles, keys, requests and settings appear here, each with who did it and when.
            </Empty>
          ) : (
            <DataTable label="Audit" columns={COLUMNS} rows={acts} rowId="id" />
          )
        }
      </Listing>
    </>
  );
}

/** Exports of all filtered events. */
function Exports({ group }: { group: string | null }) {
  const query = group === null ? '' : `?group=${encodeURIComponent(group)}`;
  return (
    <>
      {(['csv', 'ndjson'] as const).map((form) => (
        <Button
          key={form}
          component="a"
          href={`/portal/firm-record.${form}${query}`}
          download
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {form === 'csv' ? 'CSV' : 'NDJSON'}
        </Button>
      ))}
    </>
  );
}
