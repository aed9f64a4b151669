// Firm: withdraws an invitation.
import { Text } from '@mantine/core';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { Team, type TeamQuery, WithdrawInvitation } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';

export function WithdrawInvitationButton({
  of: { id, name, email },
}: {
  of: TeamQuery['body']['invitations'][number];
}) {
  return (
    <ConfirmedAction
      operation={WithdrawInvitation}
      variables={{ id }}
      lookUp={async () => {
        const team = await call(Team, {});
        return team.invitations.some((one) => one.id === id) ? null : team;
      }}
      label="Withdraw"
      aria-label={`Withdraw the invitation of ${name}`}
      title={
        <>
          Withdraw the invitation of <bdi>{name}</bdi>?
        </>
      }
      confirm="Withdraw invitation"
      done={
        <>
          The invitation of <bdi>{name}</bdi> is withdrawn.
        </>
      }
    >
      <Text size="sm">The link that was sent to {email} stops working.</Text>
    </ConfirmedAction>
  );
}
