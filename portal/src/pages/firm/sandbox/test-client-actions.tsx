// Firm: the actions of a member on a test client's grant, with a click each.
import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ActionButton } from '../../../components/action-button.tsx';
import { useTitleAfterLeaving } from '../../../components/focus.ts';
import { ActionFault } from '../../../components/page/action-fault.tsx';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import { NarrowDialog } from './narrow-dialog.tsx';
import { type GrantToActOn, useActAsTestClient } from './use-test-clients.ts';

export function TestClientActions({ of: grant }: { of: GrantToActOn }) {
  const mayAct = useIsDeveloper();
  if (!mayAct || (grant.status !== 'pending' && grant.status !== 'active')) return null;
  return <Actions key={grant.status} of={grant} />;
}

/** Those of one status: another one has other buttons, or none. */
function Actions({ of: grant }: { of: GrantToActOn }) {
  const [narrowing, narrow] = useDisclosure();
  const { ref, leaving } = useTitleAfterLeaving<HTMLDivElement>();
  const action = useActAsTestClient(leaving);
  const start = (name: string) => () => action.start({ id: grant.id, step: name });
  return (
    <>
      <Group gap="sm" ref={ref}>
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
      <ActionFault of={action} />
      {narrowing && <NarrowDialog of={grant} onClose={narrow.close} onDone={leaving} />}
    </>
  );
}
