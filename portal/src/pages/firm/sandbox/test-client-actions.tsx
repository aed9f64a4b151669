// Firm: the actions of a member on a test client's grant, with a click each.
import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ActionButton } from '../../../components/action-button.tsx';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import { NarrowDialog } from './narrow-dialog.tsx';
import { type GrantToActOn, useActAsTestClient } from './use-test-clients.ts';

export function TestClientActions({ of: grant }: { of: GrantToActOn }) {
  const [narrowing, narrow] = useDisclosure();
  const action = useActAsTestClient();
  const start = (name: string) => () => action.start({ id: grant.id, step: name });
  const mayAct = useIsDeveloper();
  if (!mayAct || (grant.status !== 'pending' && grant.status !== 'active')) return null;
  return (
    <>
      <Group gap="sm">
        {grant.status === 'pending' ? (
          <>
            <ActionButton onClick={start('approve')} busy={action.isPending}>
              Approve as the test client
            </ActionButton>
            <Button variant="default" onClick={narrow.open}>
              Approve less
            </Button>
          </>
        ) : (
          <>
            <Button variant="default" onClick={narrow.open}>
              Narrow
            </Button>
            <ActionButton variant="default" onClick={start('expire')} busy={action.isPending}>
              Let it expire
            </ActionButton>
            <ActionButton variant="outline" color="red" onClick={start('revoke')} busy={action.isPending}>
              Revoke
            </ActionButton>
          </>
        )}
      </Group>
      <ActionFault of={action} about={grant.status} />
      {narrowing && <NarrowDialog of={grant} onClose={narrow.close} />}
    </>
  );
}
