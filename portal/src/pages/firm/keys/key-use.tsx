// Firm: the use of a key by day and endpoint.
import { NativeSelect, SimpleGrid, Title } from '@mantine/core';
import { useState } from 'react';
import { DaysFigure, ShareBars } from '../../../components/charts/charts.tsx';
import { Section } from '../../../components/page/section.tsx';
import { Settling } from '../../../components/page/settling.tsx';
import { BlockSkeleton, Reading } from '../../../components/page/states.tsx';
import { ZONE } from '../../../components/time.tsx';
import { KeyUse, type KeyUseQuery } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { endpointLabel } from '../activity/endpoint-label.ts';

type Use = KeyUseQuery['body']['use'];
type Count = Use['counts'][number];

const SPANS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
];

const ALL = '';

export function KeyUseSection({ keyId }: { keyId: string }) {
  const [days, setDays] = useState('30');
  const reading = useRead(KeyUse, { id: keyId, days: Number(days), zone: ZONE }, { keepPrevious: true, every: 60_000 });
  return (
    <Section
      title="Use"
      lead={`Every call with this key, also those that were refused. Days are those of ${ZONE}.`}
      actions={
        <NativeSelect
          aria-label="Time span"
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data={SPANS}
        />
      }
    >
      <Reading of={reading} skeleton={<BlockSkeleton lines={6} />}>
        {({ use }) => (
          <Settling busy={reading.isPlaceholderData}>
            {use.counts.length === 0 ? <p>No calls in this time.</p> : <UseCharts of={use} />}
          </Settling>
        )}
      </Reading>
    </Section>
  );
}

function UseCharts({ of: use }: { of: Use }) {
  const [chosen, choose] = useState(ALL);
  const endpoints = byEndpoint(use.counts);
  const endpoint = endpoints.some(({ id }) => id === chosen) ? chosen : ALL;
  const counted = use.counts.filter((row) => endpoint === ALL || row.endpoint === endpoint);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="3rem" verticalSpacing="2rem">
      <div>
        <Title order={3} mb="xs">
          By day
        </Title>
        <NativeSelect
          aria-label="Endpoint"
          value={endpoint}
          onChange={(event) => choose(event.currentTarget.value)}
          data={[{ value: ALL, label: 'All endpoints' }, ...endpoints.map(({ id, label }) => ({ value: id, label }))]}
          mb="md"
        />
        <DaysFigure days={use.days.map((day) => ({ day, ...sum(counted.filter((row) => row.day === day)) }))} />
      </div>
      <div>
        <Title order={3} mb="xs">
          By endpoint
        </Title>
        <ShareBars
          label="Requests by endpoint"
          shares={endpoints.map((share) => ({ ...share, onSelect: () => choose(share.id) }))}
        />
      </div>
    </SimpleGrid>
  );
}

function sum(rows: readonly Count[]) {
  const total = { requests: 0, ok: 0, refused: 0, limited: 0, failed: 0 };
  for (const name of Object.keys(total) as (keyof typeof total)[])
    total[name] = rows.reduce((so, row) => so + row[name], 0);
  return total;
}

/** Most requests first. */
function byEndpoint(counts: readonly Count[]) {
  return [...new Set(counts.map((row) => row.endpoint))]
    .map((endpoint) => {
      const { requests, ...ended } = sum(counts.filter((row) => row.endpoint === endpoint));
      return { id: endpoint, label: endpointLabel(endpoint), count: requests, ended };
    })
    .sort((one, other) => other.count - one.count);
}
