// Firm: withdraws an invitation.
import { Text } from '@mantine/core';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { Team, WithdrawInvitation } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import type { Invitation } from './team-body.ts';

export function WithdrawInvitationButton({ of: { id, name, email } }: { of: Invitation }) {
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
