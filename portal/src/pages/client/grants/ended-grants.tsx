// Client: ended grants, shown on demand.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { countText } from '../../../components/numbers.tsx';
import { Listing } from '../../../components/page/listing.tsx';
import { Section } from '../../../components/page/section.tsx';
import { DataTable } from '../../../components/table/data-table.tsx';
import { ClientGrants } from '../../../generated/operations.ts';
import { usePages } from '../../../graphql/hooks.ts';
import { ENDED_COLUMNS } from './grant-columns.tsx';

const ENDED = ['revoked', 'expired', 'declined', 'withdrawn'];

export function EndedGrants({ total }: { total: number }) {
  const [opened, { toggle }] = useDisclosure();
  const Icon = opened ? IconChevronUp : IconChevronDown;
  return (
    <Section
      title="Ended"
      lead="Declined, withdrawn, revoked or expired: these give no access."
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
  const reading = usePages(ClientGrants, { status: ENDED, first: 50 });
  return (
    <Listing of={reading} skeletonRows={4}>
      {(rows, total) => (
        <DataTable
          label="Ended access"
          columns={ENDED_COLUMNS}
          rows={rows}
          rowId="id"
          total={total}
          onNearEnd={reading.next.onNearEnd}
        />
      )}
    </Listing>
  );
}
