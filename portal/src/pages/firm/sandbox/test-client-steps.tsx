// Firm: the actions of a member on a test client's grant, with a click each.
import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ActionButton } from '../../../components/action-button.tsx';
import { StepFault } from '../../../components/page/step-fault.tsx';
import { useIsDeveloper } from '../../../session/firm-role.ts';
import { NarrowDialog } from './narrow-dialog.tsx';
import { type SteppedGrant, useStepAsTestClient } from './use-test-clients.ts';

export function TestClientSteps({ of: grant }: { of: SteppedGrant }) {
  const [narrowing, narrow] = useDisclosure();
  const step = useStepAsTestClient();
  const take = (name: string) => () => step.take({ id: grant.id, step: name });
  const mayAct = useIsDeveloper();
  if (!mayAct || (grant.status !== 'pending' && grant.status !== 'active')) return null;
  return (
    <>
      <Group gap="sm">
        {grant.status === 'pending' ? (
          <>
            <ActionButton onClick={take('approve')} busy={step.isPending}>
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
            <ActionButton variant="default" onClick={take('expire')} busy={step.isPending}>
              Let it expire
            </ActionButton>
            <ActionButton variant="outline" color="red" onClick={take('revoke')} busy={step.isPending}>
              Revoke
            </ActionButton>
          </>
        )}
      </Group>
      <StepFault of={step} about={grant.status} />
      {narrowing && <NarrowDialog of={grant} onClose={narrow.close} />}
    </>
  );
}
