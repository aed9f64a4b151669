// Account: passkeys, for signing in without a password.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_PASSKEY_NAME } from '#core/text-lengths.ts';
import { Dimmed } from '../../components/dimmed.tsx';
import { useTitleAfterLeaving } from '../../components/focus.ts';
import { withNames } from '../../components/names.ts';
import { Section } from '../../components/page/section.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { ACCOUNT } from '../../session/account.ts';
import { addPasskey, canHavePasskeys, type Passkey, removePasskey } from '../../session/passkeys.ts';
import { deviceText, SESSIONS } from '../../session/sessions.ts';
import classes from './account.module.css';
import { PasswordQuestion } from './password-question.tsx';

export function PasskeysSection({ of: passkeys }: { of: readonly Passkey[] }) {
  const [adding, dialog] = useDisclosure();
  const [name, setName] = useState(deviceText(navigator.userAgent));
  const client = useQueryClient();
  const possible = canHavePasskeys();
  const add = async (password: string) => {
    await addPasskey(password, name);
    notifications.show({ message: 'The passkey is added. You can sign in with it from now on.' });
    await client.invalidateQueries({ queryKey: ACCOUNT });
    dialog.close();
  };
  return (
    <Section
      title="Passkeys"
      lead="Sign in with the lock of your device (PIN, finger or face) instead of password and code. Nobody can trick you into revealing it."
      actions={
        possible && (
          <Button variant="default" onClick={dialog.open}>
            Add a passkey
          </Button>
        )
      }
    >
      {!possible && <Dimmed mb="md">Passkeys are not available in this browser or at this address.</Dimmed>}
      {passkeys.length === 0 ? (
        <Dimmed>You have none.</Dimmed>
      ) : (
        <ul className={classes.sessions} aria-label="Passkeys">
          {passkeys.map((passkey) => (
            <PasskeyLine key={passkey.id} of={passkey} />
          ))}
        </ul>
      )}
      {adding && (
        <PasswordQuestion
          title="Add a passkey"
          confirm="Continue"
          destructive={false}
          onAnswer={add}
          onClose={dialog.close}
        >
          <TextInput
            label="Name of the passkey"
            description="By which you recognise the device."
            maxLength={MAX_PASSKEY_NAME}
            mb="md"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Dimmed>Enter your password, then confirm on your device.</Dimmed>
        </PasswordQuestion>
      )}
    </Section>
  );
}

function PasskeyLine({ of: passkey }: { of: Passkey }) {
  const [removing, dialog] = useDisclosure();
  const { ref, leaving } = useTitleAfterLeaving();
  const client = useQueryClient();
  const remove = async (password: string) => {
    await removePasskey(passkey.id, password);
    notifications.show({
      message: withNames`The passkey “${passkey.name}” is removed. You are signed out everywhere else.`,
    });
    leaving();
    await client.invalidateQueries({ queryKey: SESSIONS });
    await client.invalidateQueries({ queryKey: ACCOUNT });
    dialog.close();
  };
  return (
    <li className={classes.session}>
      <div>
        <Group gap="xs">
          <Text size="sm" fw={500} className="breakable">
            {passkey.name}
          </Text>
          {passkey.synced && <Status tone="calm">On several devices</Status>}
        </Group>
        <Dimmed component="div">
          added <Time at={passkey.created_at} as="relative" /> ·{' '}
          {passkey.last_used_at === null ? (
            'never used'
          ) : (
            <>
              last used <Time at={passkey.last_used_at} as="relative" />
            </>
          )}
        </Dimmed>
      </div>
      <Button ref={ref} variant="default" onClick={dialog.open} aria-label={`Remove the passkey ${passkey.name}`}>
        Remove
      </Button>
      {removing && (
        <PasswordQuestion
          title={withNames`Remove the passkey “${passkey.name}”?`}
          confirm="Remove passkey"
          destructive
          onAnswer={remove}
          onClose={dialog.close}
        >
          <Dimmed>
            It can no longer be used to sign in, and you are signed out everywhere else. Enter your password to
            continue.
          </Dimmed>
        </PasswordQuestion>
      )}
    </li>
  );
}
