// Firm: requests by endpoint, key and status; each bar filters the calls below.
import { SimpleGrid } from '@mantine/core';
import { type Outcome, outcomeOf } from '#core/outcome.ts';
import { ShareBars } from '../../../components/charts/charts.tsx';
import { Section } from '../../../components/page/section.tsx';
import type { ActivityQuery } from '../../../generated/operations.ts';
import { KeyEnd } from '../keys/key-end.tsx';
import type { CallFilters } from './call-list.tsx';
import { endpointLabel } from './endpoint-label.ts';
import { statusText } from './status-text.ts';

type Counts = Record<'requests' | Outcome, number>;

const barOf = ({ requests, ...ended }: Counts) => ({ count: requests, ended });

/** More keys would not be clear; the list of keys has all of them. */
const MAX_KEYS = 8;

export function ActivityShares({
  of: activity,
  filters: { set },
}: {
  of: ActivityQuery['body'];
  filters: CallFilters;
}) {
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing="3rem" verticalSpacing="2.5rem" my="3rem">
      <div>
        <Section title="By endpoint">
          <ShareBars
            label="Requests by endpoint"
            shares={activity.byEndpoint.map((row) => ({
              id: row.endpoint,
              label: endpointLabel(row.endpoint),
              ...barOf(row),
              onSelect: () => set({ endpoint: row.endpoint }),
            }))}
          />
        </Section>
      </div>
      <div>
        <Section title="By key">
          <ShareBars
            label="Requests by key"
            shares={activity.byKey.slice(0, MAX_KEYS).map((row) => ({
              id: row.keyId,
              label: row.name,
              note: <KeyEnd of={row.keyId} />,
              ...barOf(row),
              onSelect: () => set({ key: row.keyId }),
            }))}
          />
        </Section>
      </div>
      <div>
        <Section title="By status">
          <ShareBars
            label="Requests by status"
            shares={activity.byStatus.map(({ status, requests }) => ({
              id: String(status),
              label: statusText(status),
              count: requests,
              ended: { [outcomeOf(status)]: requests },
              onSelect: () => set({ status: String(status) }),
            }))}
          />
        </Section>
      </div>
    </SimpleGrid>
  );
}
