// Firm: tabs for grants by status.
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { countText } from '../../../components/numbers.tsx';
import type { GrantCounts } from '../../../generated/operations.ts';
import type { BodyOf } from '../../../graphql/operation.ts';
import classes from './standing-tabs.module.css';

export interface Standing {
  id: 'active' | 'expiring' | 'pending' | 'ended';
  label: string;
  status: string[];
  expiringSoon: boolean | null;
  empty: string;
  emptyWords: string;
}

export const STANDINGS: readonly [Standing, ...Standing[]] = [
  {
    id: 'active',
    label: 'Active',
    status: ['active'],
    expiringSoon: null,
    empty: 'No client grants access yet',
    emptyWords: 'Ask a client for access. They decide what your key sees, and their answer takes effect at once.',
  },
  {
    id: 'expiring',
    label: 'Ending soon',
    status: ['active'],
    expiringSoon: true,
    empty: 'Nothing ends within 7 days',
    emptyWords: 'Grants that do are shown here, so that you can ask the client in time to extend them.',
  },
  {
    id: 'pending',
    label: 'Waiting',
    status: ['pending'],
    expiringSoon: null,
    empty: 'No request is waiting',
    emptyWords: 'Your requests are listed here until the client approves or you withdraw them.',
  },
  {
    id: 'ended',
    label: 'Ended',
    status: ['revoked', 'expired', 'declined', 'withdrawn'],
    expiringSoon: null,
    empty: 'Nothing has ended',
    emptyWords: 'Grants that were revoked or expired, and requests that you withdrew, stay on record here.',
  },
];

type Counts = BodyOf<typeof GrantCounts>;

const countFor = (counts: Counts, id: Standing['id']): number => (id === 'expiring' ? counts.expiringSoon : counts[id]);

interface StandingTabsProps {
  counts: Counts | undefined;
  standing: Standing;
  /** Null for the first. */
  onChange: (id: string | null) => void;
  children: ReactNode;
}

export function StandingTabs({ counts, standing, onChange, children }: StandingTabsProps) {
  return (
    <Tabs value={standing.id} onChange={(id) => onChange(id === STANDINGS[0].id ? null : id)}>
      <Tabs.List aria-label="Grants by state" mb="lg" className={classes.list}>
        {STANDINGS.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
            {counts !== undefined && <span className={classes.count}>{countText(countFor(counts, id))}</span>}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={standing.id}>{children}</Tabs.Panel>
    </Tabs>
  );
}
