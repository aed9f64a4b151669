// Client: revokes a grant or declines a request, after one question.
import { Button, type ButtonProps, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { Confirm } from '../../../components/confirm.tsx';
import { useTitleAfterLeaving } from '../../../components/focus.ts';
import { countOf } from '../../../components/numbers.tsx';
import { Time } from '../../../components/time.tsx';
import { DeclineGrant, RevokeGrant } from '../../../generated/operations.ts';
import { useAction } from '../../../graphql/use-action.ts';
import { hasStatus } from './find-outcome.ts';
import { TOUCHED } from './touched.ts';

interface Ending {
  id: string;
  firmName: string;
  keyName: string;
}

interface RevokeProps extends ButtonProps {
  grant: Ending & { calls30Days: number; lastSeenAt: string | null };
  onDone?: () => void;
}

export function RevokeButton({ grant, ...others }: RevokeProps) {
  const { firmName, keyName } = grant;
  return (
    <EndButton
      grant={grant}
      operation={RevokeGrant}
      status="revoked"
      word="Revoke"
      what="the access of"
      confirm="Revoke access"
      done={
        <>
          <bdi>{firmName}</bdi> can no longer see anything through “<bdi>{keyName}</bdi>”.
        </>
      }
      {...others}
    >
      <Text>
        From this moment “<bdi>{keyName}</bdi>” can read nothing of yours.
      </Text>
      <Text mt="sm">
        <bdi>{firmName}</bdi> keeps what it has read already: this does not delete it. The access record shows what that
        was; to have it deleted, write to the firm.
      </Text>
      <Text size="sm" c="dimmed" mt="sm">
        <Traffic calls={grant.calls30Days} last={grant.lastSeenAt} />
      </Text>
    </EndButton>
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

export function DeclineButton({ grant, ...others }: DeclineProps) {
  const { firmName, keyName } = grant;
  return (
    <EndButton
      grant={grant}
      operation={DeclineGrant}
      status="declined"
      word="Decline"
      what="the request of"
      confirm="Decline request"
      done={
        <>
          Declined. <bdi>{firmName}</bdi> sees nothing through “<bdi>{keyName}</bdi>”.
        </>
      }
      {...others}
    >
      <Text>They see nothing and are not told: to them the request looks unanswered.</Text>
    </EndButton>
  );
}

interface EndButtonProps extends ButtonProps {
  grant: Ending;
  operation: typeof RevokeGrant | typeof DeclineGrant;
  /** The grant's status afterwards. */
  status: 'revoked' | 'declined';
  /** The label of the button. */
  word: string;
  /** The object of the action; the firm's name follows. */
  what: string;
  confirm: string;
  /** The message afterwards. */
  done: ReactNode;
  onDone?: () => void;
  /** What to know before. */
  children: ReactNode;
}

function EndButton(props: EndButtonProps) {
  const { grant, operation, status, word, what, confirm, done, onDone, children, ...button } = props;
  const [opened, question] = useDisclosure();
  const { ref, leaving } = useTitleAfterLeaving();
  const end = useAction(operation, {
    touches: TOUCHED,
    lookUp: hasStatus(status),
    onDone: () => {
      leaving();
      question.close();
      notifications.show({ message: done });
      onDone?.();
    },
  });
  return (
    <>
      <Button
        ref={ref}
        variant="default"
        onClick={question.open}
        aria-label={`${word} ${what} ${grant.firmName}, ${grant.keyName}`}
        {...button}
      >
        {word}
      </Button>
      <Confirm
        opened={opened}
        onClose={question.close}
        title={
          <>
            {word} {what} <bdi>{grant.firmName}</bdi>?
          </>
        }
        confirm={confirm}
        onConfirm={() => end.start({ id: grant.id })}
        action={end}
      >
        {children}
      </Confirm>
    </>
  );
}
