// Client: revokes a grant or declines a request, after one question.
import { type ButtonProps, Text } from '@mantine/core';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { Dimmed } from '../../../components/dimmed.tsx';
import { withNames } from '../../../components/names.ts';
import { callsText } from '../../../components/numbers.tsx';
import { Time } from '../../../components/time.tsx';
import { DeclineGrant, RevokeGrant } from '../../../generated/operations.ts';
import { hasStatus } from './find-outcome.ts';

interface Ending {
  id: string;
  firmName: string;
  keyName: string;
}

interface RevokeProps extends ButtonProps {
  grant: Ending & { calls30Days: number; lastSeenAt: string | null };
}

export function RevokeButton({ grant, ...button }: RevokeProps) {
  const { id, firmName, keyName } = grant;
  return (
    <ConfirmedAction
      operation={RevokeGrant}
      variables={{ id }}
      lookUp={hasStatus('revoked')}
      label="Revoke"
      aria-label={`Revoke the access of ${firmName}, ${keyName}`}
      title={withNames`Revoke the access of ${firmName}?`}
      confirm="Revoke access"
      done={withNames`${firmName} can no longer see anything through “${keyName}”.`}
      {...button}
    >
      <Text>
        From this moment “<bdi>{keyName}</bdi>” can read nothing of yours.
      </Text>
      <KeptData firmName={firmName} />
      <Dimmed mt="sm">
        <Traffic calls={grant.calls30Days} last={grant.lastSeenAt} />
      </Dimmed>
    </ConfirmedAction>
  );
}

export const KeptData = ({ firmName }: { firmName: string }) => (
  <Text mt="sm">
    <bdi>{firmName}</bdi> keeps what it has read already: this does not delete it. The access record shows what that
    was; to have it deleted, write to the firm.
  </Text>
);

function Traffic({ calls, last }: { calls: number; last: string | null }) {
  if (calls === 0) return 'No calls in the last 30 days.';
  return (
    <>
      {callsText(calls)} in the last 30 days
      {last !== null && (
        <>
          ; last seen <Time at={last} as="relative" />
        </>
      )}
      .
    </>
  );
}

export function DeclineButton({ grant: { id, firmName, keyName } }: { grant: Ending }) {
  return (
    <ConfirmedAction
      operation={DeclineGrant}
      variables={{ id }}
      lookUp={hasStatus('declined')}
      label="Decline"
      aria-label={`Decline the request of ${firmName}, ${keyName}`}
      title={withNames`Decline the request of ${firmName}?`}
      confirm="Decline request"
      done={withNames`Declined. ${firmName} sees nothing through “${keyName}”.`}
    >
      <Text>They see nothing and are not told: to them the request looks unanswered.</Text>
    </ConfirmedAction>
  );
}
