// Firm: the columns of the list of grants.
import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Dimmed } from '../../../components/dimmed.tsx';
import { EmailAddress } from '../../../components/email-address.tsx';
import { filterText } from '../../../components/grants/grant-filter.ts';
import { effectiveScopes, scopesText } from '../../../components/grants/scopes.tsx';
import { callsText } from '../../../components/numbers.tsx';
import { EnvironmentTag, GrantStatus, Status, TestClientTag } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/data-table.tsx';
import { Ends, Time } from '../../../components/time.tsx';
import type { GrantsQuery } from '../../../generated/operations.ts';

type GrantRow = GrantsQuery['body']['nodes'][number];

export const GRANT_COLUMNS: readonly Column<GrantRow>[] = [
  {
    header: 'Client',
    grow: 1.7,
    heading: true,
    cell: (row) => (
      <>
        <Anchor component={Link} href={`/access/${row.id}`} fw={600} c="inherit">
          <bdi>{row.clientName ?? row.addressee ?? 'A client'}</bdi>
        </Anchor>
        <Dimmed size="xs" className="breakable">
          {row.testClient ? (
            'Test client of your firm'
          ) : row.clientEmail === null ? (
            'Not approved'
          ) : (
            <EmailAddress of={row.clientEmail} />
          )}
        </Dimmed>
      </>
    ),
  },
  {
    header: 'What',
    grow: 1.7,
    cell: (row) => (
      <>
        {filterText(row.filter)}
        <Dimmed size="xs">{scopesText(effectiveScopes(row), 3)}</Dimmed>
      </>
    ),
  },
  {
    header: 'Key',
    grow: 1.3,
    cell: (row) => (
      <>
        <Text size="sm" lineClamp={1} dir="auto" title={row.keyName}>
          {row.keyName}
        </Text>
        <Group gap={6} mt={2}>
          <EnvironmentTag environment={row.environment} />
          {row.testClient && <TestClientTag />}
          {row.keyStatus !== 'active' && <Status tone="calm">Key {row.keyStatus}</Status>}
        </Group>
      </>
    ),
  },
  {
    header: 'Last seen',
    min: '7rem',
    cell: (row) => (
      <>
        <Time at={row.lastSeenAt} as="relative" />
        <Dimmed size="xs">{callsText(row.calls30Days)} in 30 days</Dimmed>
      </>
    ),
  },
  {
    header: 'Until',
    min: '8rem',
    cell: (row) => <Until row={row} />,
  },
];

/** The end, if there is or was one, and its status. */
function Until({ row }: { row: GrantRow }) {
  if (row.status === 'active')
    return (
      <>
        <Time at={row.expiresAt} as="end" never="Until revoked" />
        {row.expiringSoon && (
          <div>
            <Status tone="warn">
              <Ends at={row.expiresAt} />
            </Status>
          </div>
        )}
      </>
    );
  return (
    <>
      <GrantStatus status={row.status} />
      <Dimmed size="xs" mt={2} component="div">
        {row.status === 'pending' ? 'asked ' : ''}
        <Time at={row.endedAt ?? row.createdAt} as="relative" />
      </Dimmed>
    </>
  );
}
