// Operations: the columns of the list of keys by use.
import { Anchor, Group } from '@mantine/core';
import { Dimmed } from '../../components/dimmed.tsx';
import { Meter } from '../../components/meter.tsx';
import { countText } from '../../components/numbers.tsx';
import { EnvironmentTag, Status } from '../../components/status.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { useFilters } from '../../components/table/filter-bar.tsx';
import { tierName } from '../../components/tier.ts';
import type { LimitsQuery } from '../../generated/operations.ts';
import classes from './limits.module.css';

export type LimitRow = LimitsQuery['body'][number];

export const LIMIT_COLUMNS: readonly Column<LimitRow>[] = [
  {
    header: 'Key',
    grow: 2,
    heading: true,
    cell: ({ keyId, name, firmName, environment }) => (
      <>
        <KeyName keyId={keyId} name={name} />
        <Group gap={8} mt={2} wrap="nowrap">
          <EnvironmentTag environment={environment} />
          <span className={classes.firm} dir="auto" title={firmName}>
            {firmName}
          </span>
        </Group>
      </>
    ),
  },
  {
    header: 'Last minute',
    min: '8rem',
    cell: ({ used, limit }) => <Meter used={used} limit={limit} />,
  },
  {
    header: 'Refused',
    min: '5rem',
    grow: 0.5,
    cell: ({ refused, shadow, wouldRefuse }) =>
      shadow === null ? (
        <span className={refused > 0 ? classes.refused : classes.none}>
          <span className="numbers">{countText(refused)}</span>
        </span>
      ) : (
        <span className={wouldRefuse > 0 ? undefined : classes.none}>
          <span className="numbers">{countText(wouldRefuse)}</span> let pass
        </span>
      ),
  },
  {
    header: 'Tier',
    min: '7rem',
    grow: 0.8,
    cell: ({ tier, tierOverride, shadow }) => (
      <>
        {tierName(tier)}
        {tierOverride !== null && <Dimmed size="xs">Override</Dimmed>}
        {shadow !== null && <Dimmed size="xs">In shadow mode</Dimmed>}
      </>
    ),
  },
  {
    header: 'State',
    min: '7.5rem',
    grow: 0.6,
    cell: stateOf,
  },
];

function stateOf({ used, limit, near, shadow }: LimitRow) {
  if (used >= limit && shadow !== null) return <Status tone="warn">Over, let pass</Status>;
  if (used >= limit) return <Status tone="bad">At the limit</Status>;
  if (near) return <Status tone="warn">Near the limit</Status>;
  return <Status tone={used > 0 ? 'good' : 'calm'}>{used > 0 ? 'Within' : 'Idle'}</Status>;
}

/** Opens the key beside the list, and keeps the filters. */
function KeyName({ keyId, name }: { keyId: string; name: string }) {
  const { set } = useFilters(['key']);
  return (
    <Anchor
      component="button"
      type="button"
      onClick={() => set({ key: keyId })}
      fw={600}
      c="inherit"
      className={classes.name}
      dir="auto"
    >
      {name}
    </Anchor>
  );
}
