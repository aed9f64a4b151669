// Client: a grant: its terms, the partner's view, and its events.
import { Button, Group } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link, useParams, useSearchParams } from 'wouter';
import { useTitleOnChange } from '../../../components/focus.ts';
import { withNames } from '../../../components/names.ts';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { Section } from '../../../components/page/section.tsx';
import { BlockSkeleton, Empty, Reading } from '../../../components/page/states.tsx';
import { PrintButton } from '../../../components/print/print-button.tsx';
import { PrintHead } from '../../../components/print/print-head.tsx';
import { EnvironmentTag, GrantStatus } from '../../../components/status.tsx';
import { ClientGrantDetail, type ClientGrantDetailQuery } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { Timeline } from '../history/timeline.tsx';
import { AnswerRequest } from './answer-request.tsx';
import { ChangeGrantForm } from './change-grant.tsx';
import { RevokeButton } from './end-grant.tsx';
import { GrantOverview } from './grant-overview.tsx';

type GrantBody = ClientGrantDetailQuery['body'];

const BACK = { to: '/connected', label: 'Connected apps' };

export default function GrantPage() {
  const { id = '' } = useParams();
  const reading = useRead(ClientGrantDetail, { id });
  return (
    <Reading
      of={reading}
      head={<PageHeader title="Access" back={BACK} />}
      skeleton={<BlockSkeleton lines={10} />}
      missing={<NoSuchAccess />}
    >
      {(grant) => <Grant grant={grant} />}
    </Reading>
  );
}

function NoSuchAccess() {
  return (
    <Empty
      icon={IconPlugConnected}
      title="There is no such access"
      action={
        <Button component={Link} href={BACK.to}>
          See who has access
        </Button>
      }
    >
      The address may be mistyped, or it belongs to another account. Connected apps lists every key that has access,
      asks for it or had it.
    </Empty>
  );
}

function Grant({ grant }: { grant: GrantBody }) {
  const [parameters, setParameters] = useSearchParams();
  const changing = grant.status === 'active' && parameters.get('change') !== null;
  const [changes, setChanges] = useState(0);
  useTitleOnChange(`${grant.status} ${changing} ${changes}`);
  const stopChanging = () => setParameters({}, { replace: true });
  const startChanging = () => setParameters({ change: '1' }, { replace: true });
  return (
    <>
      <PageHeader
        title={grant.firmName}
        shown={<bdi>{grant.firmName}</bdi>}
        back={BACK}
        aside={
          <Group gap="xs">
            <GrantStatus status={grant.status} />
            {grant.environment === 'sandbox' && <EnvironmentTag environment={grant.environment} />}
          </Group>
        }
        lead={leadOf(grant)}
        actions={<Actions grant={grant} changing={changing} onChange={startChanging} />}
      />
      <PrintHead />
      {grant.status === 'pending' ? (
        <AnswerRequest key={grant.id} grant={grant} />
      ) : changing ? (
        <ChangeGrantForm
          key={`${grant.id} ${changes}`}
          grant={grant}
          onDone={stopChanging}
          onRestart={() => setChanges(changes + 1)}
        />
      ) : (
        <GrantOverview grant={grant} />
      )}
      <Section title="Steps" lead="What happened to this access, newest first.">
        <Timeline events={grant.events} ofOneGrant />
      </Section>
    </>
  );
}

function leadOf({ status, keyName }: GrantBody): ReactNode {
  switch (status) {
    case 'pending':
      return withNames`Asks for access through its key “${keyName}”. Leave out whatever you do not want to share.`;
    case 'active':
      return withNames`Reads through its key “${keyName}”.`;
    default:
      return withNames`Its key “${keyName}” sees nothing through this.`;
  }
}

interface ActionsProps {
  grant: GrantBody;
  changing: boolean;
  onChange: () => void;
}

function Actions({ grant, changing, onChange }: ActionsProps) {
  if (grant.status === 'pending') return null;
  if (grant.status !== 'active')
    return (
      <>
        <PrintButton />
        <Button component={Link} href={`/connected/new?key=${grant.keyId}`} variant="default">
          Give access again
        </Button>
      </>
    );
  return (
    <>
      {!changing && <Button onClick={onChange}>Change</Button>}
      {!changing && <PrintButton />}
      <RevokeButton grant={grant} />
    </>
  );
}
