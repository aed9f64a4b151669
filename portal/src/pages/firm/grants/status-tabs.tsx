// Firm: tabs for grants by status.
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { EXPIRING_DAYS } from '#core/periods.ts';
import { countText } from '../../../components/numbers.tsx';
import type { GrantCountsQuery } from '../../../generated/operations.ts';
import classes from './status-tabs.module.css';

export interface StatusFilter {
  id: 'active' | 'expiring' | 'pending' | 'ended';
  label: string;
  status: string[];
  expiringSoon: boolean | null;
  empty: string;
  emptyText: string;
}

export const STATUS_FILTERS: readonly [StatusFilter, ...StatusFilter[]] = [
  {
    id: 'active',
    label: 'Active',
    status: ['active'],
    expiringSoon: null,
    empty: 'No client grants access yet',
    emptyText: 'Clients decide what your keys see, and their answer to a request takes effect at once.',
  },
  {
    id: 'expiring',
    label: 'Ending soon',
    status: ['active'],
    expiringSoon: true,
    empty: `Nothing ends within ${EXPIRING_DAYS} days`,
    emptyText: 'Grants that do are shown here, so that you can ask the client in time to extend them.',
  },
  {
    id: 'pending',
    label: 'Waiting',
    status: ['pending'],
    expiringSoon: null,
    empty: 'No request is waiting',
    emptyText: 'Your requests are listed here until the client approves or you withdraw them.',
  },
  {
    id: 'ended',
    label: 'Ended',
    status: ['revoked', 'expired', 'declined', 'withdrawn'],
    expiringSoon: null,
    empty: 'Nothing has ended',
    emptyText: 'Grants that were revoked or expired, and requests that you withdrew, stay on record here.',
  },
];

type Counts = GrantCountsQuery['body'];

const countFor = (counts: Counts, id: StatusFilter['id']): number =>
  id === 'expiring' ? counts.expiringSoon : counts[id];

interface StatusTabsProps {
  counts: Counts | undefined;
  statusFilter: StatusFilter;
  /** Null for the first. */
  onChange: (id: string | null) => void;
  children: ReactNode;
}

export function StatusTabs({ counts, statusFilter, onChange, children }: StatusTabsProps) {
  return (
    <Tabs value={statusFilter.id} onChange={(id) => onChange(id === STATUS_FILTERS[0].id ? null : id)}>
      <Tabs.List aria-label="Grants by state" mb="lg" className={classes.list}>
        {STATUS_FILTERS.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id} className={classes.tab}>
            {label}
            {counts !== undefined && <span className={classes.count}> {countText(countFor(counts, id))}</span>}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={statusFilter.id}>{children}</Tabs.Panel>
    </Tabs>
  );
}
