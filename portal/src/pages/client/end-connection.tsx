// Client: the two ways to say no: revoke what was given, decline what was asked for. A press, a question, done.
import { Button, type ButtonProps, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { Confirm } from '../../components/confirm.tsx';
import { countOf } from '../../components/numbers.tsx';
import { Time } from '../../components/time.tsx';
import { DeclineGrant, RevokeGrant } from '../../generated/operations.ts';
import { useStep } from '../../graphql/hooks.ts';
import { useTitleAfterLeaving } from './focus-title.ts';
import { TOUCHED } from './steps.ts';

interface Ending {
  id: string;
  firmName: string;
  keyName: string;
}

interface RevokeProps extends ButtonProps {
  grant: Ending & { calls30Days: number; lastSeenAt: string | null };
  onDone?: () => void;
}

export function RevokeButton({ grant, onDone, ...button }: RevokeProps) {
  const [opened, question] = useDisclosure();
  const { ref, leaving } = useTitleAfterLeaving();
  const revoke = useStep(RevokeGrant, {
    touches: TOUCHED,
    onDone: () => {
      leaving();
      question.close();
      notifications.show({ message: `${grant.firmName} can see nothing more through “${grant.keyName}”.` });
      onDone?.();
    },
  });
  return (
    <>
      <Button
        ref={ref}
        variant="default"
        onClick={question.open}
        aria-label={`Revoke the access of ${grant.firmName}, ${grant.keyName}`}
        {...button}
      >
        Revoke
      </Button>
      <Confirm
        opened={opened}
        onClose={question.close}
        title={`Revoke the access of ${grant.firmName}?`}
        confirm="Revoke access"
        onConfirm={() => revoke.mutate({ id: grant.id })}
        busy={revoke.isPending}
        error={revoke.error}
      >
        <Text>From this moment “{grant.keyName}” can read nothing of yours. What was read before stays with them.</Text>
        <Text size="sm" c="dimmed" mt="sm">
          <Traffic calls={grant.calls30Days} last={grant.lastSeenAt} />
        </Text>
      </Confirm>
    </>
  );
}

function Traffic({ calls, last }: { calls: number; last: string | null }) {
  if (calls === 0) return 'No calls in the last 30 days.';
  return (
    <>
      {countOf(calls, 'call')} in the last 30 days
      {last !== null && (
        <>
          ; last seen <Time at={last} as="relative" />
        </>
      )}
      .
    </>
  );
}

interface DeclineProps extends ButtonProps {
  grant: Ending;
  onDone?: () => void;
}

export function DeclineButton({ grant, onDone, ...button }: DeclineProps) {
  const [opened, question] = useDisclosure();
  const { ref, leaving } = useTitleAfterLeaving();
  const decline = useStep(DeclineGrant, {
    touches: TOUCHED,
    onDone: () => {
      leaving();
      question.close();
      notifications.show({ message: `Declined. ${grant.firmName} sees nothing through “${grant.keyName}”.` });
      onDone?.();
    },
  });
  return (
    <>
      <Button
        ref={ref}
        variant="default"
        onClick={question.open}
        aria-label={`Decline the request of ${grant.firmName}, ${grant.keyName}`}
        {...button}
      >
        Decline
      </Button>
      <Confirm
        opened={opened}
        onClose={question.close}
        title={`Decline the request of ${grant.firmName}?`}
        confirm="Decline request"
        onConfirm={() => decline.mutate({ id: grant.id })}
        busy={decline.isPending}
        error={decline.error}
      >
        <Text>They see nothing, and see that you declined. They may ask again.</Text>
      </Confirm>
    </>
  );
}
