// Firm: the columns of the list of keys.
import { Anchor, Group } from '@mantine/core';
import { Link } from 'wouter';
import { Dimmed } from '../../../components/dimmed.tsx';
import { scopesText } from '../../../components/grants/scopes.tsx';
import { EnvironmentTag, KeyStatus } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { tierName } from '../../../components/tier.ts';
import { Ends, Time } from '../../../components/time.tsx';
import type { FirmKeysQuery } from '../../../generated/operations.ts';
import classes from './keys.module.css';
import { LimitUse } from './limit-use.tsx';

export type KeyRow = FirmKeysQuery['body'][number];

/** `sk_live_…a9Xk`: enough to recognise a secret, without revealing it. */
export const Fingerprint = ({ prefix, lastFour }: { prefix: string; lastFour: string }) => (
  <span className={classes.fingerprint}>
    {prefix}…{lastFour}
  </span>
);

export const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  {
    header: 'Key',
    grow: 2.4,
    heading: true,
    cell: (row) => (
      <>
        <Anchor component={Link} href={`/keys/${row.id}`} fw={600} c="inherit" className={classes.name} dir="auto">
          {row.name}
        </Anchor>
        <Group gap={8} mt={4}>
          <EnvironmentTag environment={row.environment} />
          <Fingerprint prefix={row.prefix} lastFour={row.lastFour} />
        </Group>
      </>
    ),
  },
  {
    header: 'Scopes',
    grow: 1.5,
    cell: ({ scopes }) => scopesText(scopes, 2),
  },
  {
    header: 'Last minute',
    min: '7rem',
    cell: (row) => <Use row={row} />,
  },
  {
    header: 'Last used',
    min: '6.5rem',
    cell: ({ lastUsedAt }) => <Time at={lastUsedAt} as="relative" />,
  },
  {
    header: 'Created',
    grow: 1.1,
    min: '7rem',
    cell: ({ createdAt, createdBy }) => (
      <>
        <Time at={createdAt} as="date" />
        <Dimmed size="xs">
          <bdi>{createdBy.name}</bdi>
        </Dimmed>
      </>
    ),
  },
  {
    header: 'Status',
    min: '6.5rem',
    grow: 0.8,
    cell: ({ status, expiresAt }) => (
      <>
        <KeyStatus status={status} />
        {(status === 'active' || status === 'rotated') && expiresAt !== null && (
          <Dimmed size="xs" mt={2}>
            <Ends at={expiresAt} />
          </Dimmed>
        )}
      </>
    ),
  },
];

function Use({ row: { usage, tier } }: { row: KeyRow }) {
  if (usage === null) return <Dimmed>{tierName(tier)}</Dimmed>;
  return <LimitUse figures={usage}>{tierName(tier)}</LimitUse>;
}
