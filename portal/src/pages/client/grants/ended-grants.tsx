// Client: connections that are no more, behind a press.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { countText } from '../../../components/numbers.tsx';
import { Section } from '../../../components/page/section.tsx';
import { Failure, TableSkeleton } from '../../../components/page/states.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { Connections } from '../../../generated/operations.ts';
import { usePages } from '../../../graphql/hooks.ts';
import { ENDED_COLUMNS } from './grant-columns.tsx';

const ENDED = ['revoked', 'expired', 'declined', 'withdrawn'];

export function EndedConnections({ total }: { total: number }) {
  const [opened, { toggle }] = useDisclosure();
  const Icon = opened ? IconChevronUp : IconChevronDown;
  return (
    <Section
      title="No more"
      lead="Declined, withdrawn, revoked or run out: these see nothing."
      actions={
        <Button variant="default" onClick={toggle} aria-expanded={opened} rightSection={<Icon size={16} aria-hidden />}>
          {opened ? 'Hide' : `Show ${countText(total)}`}
        </Button>
      }
    >
      {opened && <EndedList />}
    </Section>
  );
}

function EndedList() {
  const { data, error, refetch, fetchNextPage, hasNextPage } = usePages(
    Connections,
    { status: ENDED, first: 50 },
    (body) => body,
  );
  if (data === undefined)
    return error === null ? <TableSkeleton rows={4} /> : <Failure error={error} retry={() => void refetch()} />;
  return (
    <DataTable
      label="Connections that are no more"
      columns={ENDED_COLUMNS}
      rows={data.pages.flatMap(({ nodes }) => nodes)}
      rowId={({ id }) => id}
      total={data.pages[0]?.totalItems ?? 0}
      onNearEnd={hasNextPage ? () => void fetchNextPage() : undefined}
    />
  );
}
