// Firm: requests access from a client: key, scopes, items, end and purpose.

import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { Link } from 'wouter';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { BlockSkeleton, Empty, Reading } from '../../../components/page/states.tsx';
import { KeyChoices } from '../../../generated/operations.ts';
import { useRead } from '../../../graphql/hooks.ts';
import { PlanNotice, usePlanActive } from '../plan-notice.tsx';
import { RequestForm } from './ask-form.tsx';

export default function AskPage() {
  const reading = useRead(KeyChoices, {});
  return (
    <>
      <PageHeader
        title="Ask for access"
        back={{ to: '/access', label: 'Access' }}
        lead="Clients see your request in their account. Until they approve, you learn nothing about them: not whether there is such a client, nor whether they declined."
      />
      <Reading of={reading} skeleton={<BlockSkeleton lines={10} />}>
        {(keys) => {
          const usable = keys.filter((key) => key.status === 'active');
          return usable.length === 0 ? <NoKey /> : <RequestForm keys={usable} />;
        }}
      </Reading>
    </>
  );
}

function NoKey() {
  const planActive = usePlanActive();
  if (!planActive) return <PlanNotice />;
  return (
    <Empty
      icon={IconKey}
      title="There is no key to grant access to"
      action={
        <Button component={Link} href="/keys/new">
          Create key
        </Button>
      }
    >
      Clients grant access to a key of yours. Create one first.
    </Empty>
  );
}
