// Account: the account's sessions, which can be ended.
import { Box, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionButton } from '../../components/action-button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Dimmed } from '../../components/dimmed.tsx';
import { useTitleAfterLeaving } from '../../components/focus.ts';
import { Section } from '../../components/page/section.tsx';
import { Failure, Reading } from '../../components/page/states.tsx';
import { Status } from '../../components/status.tsx';
import { exactText, Time } from '../../components/time.tsx';
import { useAuthAction } from '../../session/auth-action.ts';
import {
  deviceText,
  endSession,
  type PortalSession,
  SESSIONS,
  signOutEverywhere,
  useSessions,
} from '../../session/sessions.ts';
import { useSignOut } from '../../session/use-sign-out.ts';
import classes from './account.module.css';

export function SessionList() {
  const reading = useSessions();
  return (
    <Section title="Where you are signed in" actions={<SignOutEverywhere />}>
      <Reading of={reading}>
        {(sessions) => (
          <ul className={classes.sessions}>
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Reading>
    </Section>
  );
}

function SessionRow({ session }: { session: PortalSession }) {
  const { busy, error, run } = useAuthAction();
  const { ref, leaving } = useTitleAfterLeaving();
  const client = useQueryClient();
  const end = () =>
    run(async () => {
      await endSession(session.id);
      leaving();
      await client.invalidateQueries({ queryKey: SESSIONS });
    });
  const device = deviceText(session.user_agent);
  return (
    <li className={classes.session}>
      <div>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {device}
          </Text>
          {session.current && <Status tone="good">This one</Status>}
        </Group>
        <Dimmed component="div">
          {session.ip_address ?? 'Address unknown'} · signed in <Time at={session.created_at} as="relative" /> · last
          seen <Time at={session.last_seen_at} as="relative" />
        </Dimmed>
        {error !== null && (
          <Box mt="sm">
            <Failure error={error} />
          </Box>
        )}
      </div>
      {!session.current && (
        <ActionButton
          ref={ref}
          variant="default"
          size="xs"
          busy={busy}
          onClick={() => void end()}
          aria-label={`Sign out ${device}, signed in ${exactText(session.created_at)}`}
        >
          Sign out
        </ActionButton>
      )}
    </li>
  );
}

function SignOutEverywhere() {
  const [opened, setOpened] = useState(false);
  const { busy, error, run, setError } = useAuthAction();
  const leave = useSignOut(run, signOutEverywhere);
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Sign out everywhere
      </Button>
      <Confirm
        opened={opened}
        onClose={() => setOpened(false)}
        title="Sign out everywhere?"
        confirm="Sign out everywhere"
        onConfirm={() => void leave()}
        action={{ isPending: busy, lost: false, error, cancel: () => setError(null) }}
      >
        You are signed out on every device at once, here too. You can sign in again right away.
      </Confirm>
    </>
  );
}
