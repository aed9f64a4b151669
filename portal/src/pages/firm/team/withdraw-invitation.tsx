// Firm: withdraws an invitation.
import { Text } from '@mantine/core';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { withNames } from '../../../components/names.ts';
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
      title={withNames`Withdraw the invitation of ${name}?`}
      confirm="Withdraw invitation"
      done={withNames`The invitation of ${name} is withdrawn.`}
    >
      <Text size="sm">The link that was sent to {email} stops working.</Text>
    </ConfirmedAction>
  );
}
