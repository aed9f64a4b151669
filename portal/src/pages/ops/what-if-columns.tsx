// Operations: the columns of the effect that another tier would have had.
import { Text } from '@mantine/core';
import { Dimmed } from '../../components/dimmed.tsx';
import { Track } from '../../components/meter.tsx';
import { countText } from '../../components/numbers.tsx';
import { EnvironmentTag } from '../../components/status.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { tierName } from '../../components/tier.ts';
import { Time } from '../../components/time.tsx';
import type { WhatIfQuery } from '../../generated/operations.ts';
import classes from './what-if.module.css';

type Row = WhatIfQuery['body']['keys'][number];

const count = (of: 'requests' | 'refused', header: string): Column<Row> => ({
  header,
  min: '5.5rem',
  grow: 0.6,
  cell: (row) => <span className="numbers">{countText(row[of])}</span>,
});

export const WHAT_IF_COLUMNS: readonly Column<Row>[] = [
  {
    header: 'Key',
    grow: 2,
    heading: true,
    cell: ({ name, firmName, environment }) => (
      <>
        <Text size="sm" fw={600}>
          <bdi>{name}</bdi> <EnvironmentTag environment={environment} />
        </Text>
        <Dimmed size="xs">
          <bdi>{firmName}</bdi>
        </Dimmed>
      </>
    ),
  },
  { header: 'Tier now', min: '5.5rem', grow: 0.6, cell: ({ tier }) => tierName(tier) },
  count('requests', 'Calls'),
  {
    header: 'Busiest minute',
    min: '8.5rem',
    grow: 0.9,
    cell: ({ peakRequests, peakAt }) => (
      <>
        <span className="numbers">{countText(peakRequests)}</span>
        <Dimmed size="xs">
          <Time at={peakAt} as="moment" />
        </Dimmed>
      </>
    ),
  },
  count('refused', 'Were refused'),
  {
    header: 'Would be refused',
    min: '9rem',
    cell: ({ wouldRefuse, requests }) => (
      <div className={classes.would} data-some={wouldRefuse > 0 || undefined}>
        <span className="numbers">{countText(wouldRefuse)}</span>
        <Track share={wouldRefuse / Math.max(1, requests)} level="full" />
      </div>
    ),
  },
];
