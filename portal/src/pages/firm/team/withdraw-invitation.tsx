// Firm: withdraws an invitation.
import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { Confirm } from '../../../components/confirm.tsx';
import { useTitleAfterLeaving } from '../../../components/focus.ts';
import { FirmEvents, Team, WithdrawInvitation } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { useAction } from '../../../graphql/use-action.ts';
import type { Invitation } from './team-body.ts';

export function WithdrawInvitationButton({ of: { id, name, email } }: { of: Invitation }) {
  const [asking, question] = useDisclosure();
  const { ref, leaving } = useTitleAfterLeaving();
  const withdraw = useAction(WithdrawInvitation, {
    touches: [Team, FirmEvents],
    lookUp: async () => {
      const team = await call(Team, {});
      return team.invitations.some((one) => one.id === id) ? null : team;
    },
    onDone: () => {
      leaving();
      question.close();
      notifications.show({
        message: (
          <>
            The invitation of <bdi>{name}</bdi> is withdrawn.
          </>
        ),
      });
    },
  });
  return (
    <>
      <Button ref={ref} variant="default" onClick={question.open} aria-label={`Withdraw the invitation of ${name}`}>
        Withdraw
      </Button>
      <Confirm
        opened={asking}
        onClose={question.close}
        title={
          <>
            Withdraw the invitation of <bdi>{name}</bdi>?
          </>
        }
        confirm="Withdraw invitation"
        onConfirm={() => withdraw.start({ id })}
        action={withdraw}
      >
        <Text size="sm">The link that was sent to {email} stops working.</Text>
      </Confirm>
    </>
  );
}
