// Client: the columns of the lists of grants.
import { Anchor, Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Dimmed } from '../../../components/dimmed.tsx';
import { filterText } from '../../../components/grants/grant-filter.ts';
import { effectiveScopes } from '../../../components/grants/scopes.tsx';
import { callsText } from '../../../components/numbers.tsx';
import { GrantStatus } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { Time } from '../../../components/time.tsx';
import type { ClientGrantsQuery } from '../../../generated/operations.ts';
import { FirmMark } from '../firm-mark.tsx';
import { scopesText } from '../plain-words.ts';
import { RevokeButton } from './end-grant.tsx';
import classes from './grants.module.css';

type Row = ClientGrantsQuery['body']['nodes'][number];

const who: Column<Row> = {
  header: 'Firm and key',
  grow: 2,
  heading: true,
  cell: ({ id, firmName, keyName }) => (
    <div className={classes.who}>
      <FirmMark name={firmName} />
      <Anchor component={Link} href={`/connected/${id}`} c="inherit" className={classes.names}>
        <Text component="span" fw={600} className={classes.name} dir="auto">
          {firmName}
        </Text>{' '}
        <Dimmed component="span" className={classes.name} dir="auto">
          {keyName}
        </Dimmed>
      </Anchor>
    </div>
  ),
};

const sees: Column<Row> = {
  header: 'Sees',
  grow: 1.7,
  cell: ({ scopes, keyScopes, keyStatus, filter }) => (
    <>
      <div>{scopesText(effectiveScopes({ scopes, keyScopes }), 3)}</div>
      <Dimmed>{filterText(filter)}</Dimmed>
      {keyStatus !== 'active' && (
        <Text size="sm" className={classes.warning}>
          The key is {keyStatus}: it can read nothing.
        </Text>
      )}
    </>
  ),
};

export const ACTIVE_COLUMNS: readonly Column<Row>[] = [
  who,
  sees,
  {
    header: 'Until',
    min: '7rem',
    grow: 0.6,
    cell: ({ expiresAt, expiringSoon }) => (
      <>
        <Time at={expiresAt} never="You revoke it" as="end" />
        {expiringSoon && (
          <Text size="xs" className={classes.warning}>
            <Time at={expiresAt} as="relative" />
          </Text>
        )}
      </>
    ),
  },
  {
    header: 'Last seen',
    min: '9rem',
    grow: 0.8,
    cell: ({ lastSeenAt, calls30Days }) => (
      <>
        <Time at={lastSeenAt} as="relative" />
        <Dimmed size="xs">{calls30Days === 0 ? 'No calls in 30 days' : `${callsText(calls30Days)} in 30 days`}</Dimmed>
      </>
    ),
  },
  {
    header: 'Actions',
    min: '10.5rem',
    grow: 0,
    align: 'end',
    bare: true,
    cell: (row) => (
      <Group gap="xs" wrap="nowrap" className={classes.actions}>
        <Button
          component={Link}
          href={`/connected/${row.id}?change=1`}
          variant="default"
          size="compact-md"
          aria-label={`Change the access of ${row.firmName}, ${row.keyName}`}
        >
          Change
        </Button>
        <RevokeButton grant={row} size="compact-md" />
      </Group>
    ),
  },
];

export const ENDED_COLUMNS: readonly Column<Row>[] = [
  who,
  {
    ...sees,
    header: 'Was about',
    cell: ({ scopes, filter }) => (
      <>
        <div>{scopesText(scopes, 3)}</div>
        <Dimmed>{filterText(filter)}</Dimmed>
      </>
    ),
  },
  { header: 'Ended', min: '7rem', grow: 0.8, cell: ({ endedAt }) => <Time at={endedAt} as="end" /> },
  { header: 'How', min: '6.5rem', grow: 0.6, cell: ({ status }) => <GrantStatus status={status} /> },
];
