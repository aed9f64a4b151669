// Account: passkeys, for signing in without a password.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_PASSKEY_NAME } from '#core/text-lengths.ts';
import { withNames } from '../../components/names.ts';
import { Section } from '../../components/page/section.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { ACCOUNT } from '../../session/account.ts';
import { addPasskey, canHavePasskeys, type Passkey, removePasskey } from '../../session/passkeys.ts';
import { deviceText, SESSIONS } from '../../session/sessions.ts';
import classes from './account.module.css';
import { PasswordQuestion } from './password-question.tsx';

/** The open dialog: adding a passkey, or removing this one. */
type Dialog = 'add' | Passkey | null;

export function PasskeysSection({ of: passkeys }: { of: readonly Passkey[] }) {
  const [dialog, setDialog] = useState<Dialog>(null);
  const [name, setName] = useState(deviceText(navigator.userAgent));
  const client = useQueryClient();
  const possible = canHavePasskeys();
  const answer = async (password: string) => {
    if (dialog === 'add') {
      await addPasskey(password, name);
      notifications.show({ message: 'The passkey is added. You can sign in with it from now on.' });
    } else if (dialog !== null) {
      await removePasskey(dialog.id, password);
      notifications.show({
        message: withNames`The passkey “${dialog.name}” is removed. You are signed out everywhere else.`,
      });
      await client.invalidateQueries({ queryKey: SESSIONS });
    }
    await client.invalidateQueries({ queryKey: ACCOUNT });
    setDialog(null);
  };
  return (
    <Section
      title="Passkeys"
      lead="Sign in with the lock of your device (PIN, finger or face) instead of password and code. Nobody can trick you into revealing it."
      actions={
        possible && (
          <Button variant="default" onClick={() => setDialog('add')}>
            Add a passkey
          </Button>
        )
      }
    >
      {!possible && (
        <Text size="sm" c="dimmed" mb="md">
          Passkeys are not available in this browser or at this address.
        </Text>
      )}
      {passkeys.length === 0 ? (
        <Text size="sm" c="dimmed">
          You have none.
        </Text>
      ) : (
        <ul className={classes.sessions} aria-label="Passkeys">
          {passkeys.map((passkey) => (
            <PasskeyLine key={passkey.id} of={passkey} onRemove={() => setDialog(passkey)} />
          ))}
        </ul>
      )}
      {dialog === 'add' && (
        <PasswordQuestion
          title="Add a passkey"
          confirm="Continue"
          destructive={false}
          onAnswer={answer}
          onClose={() => setDialog(null)}
        >
          <TextInput
            label="Name of the passkey"
            description="By which you recognise the device."
            maxLength={MAX_PASSKEY_NAME}
            mb="md"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Text size="sm" c="dimmed">
            Enter your password, then confirm on your device.
          </Text>
        </PasswordQuestion>
      )}
      {dialog !== null && dialog !== 'add' && (
        <PasswordQuestion
          title={withNames`Remove the passkey “${dialog.name}”?`}
          confirm="Remove passkey"
          destructive
          onAnswer={answer}
          onClose={() => setDialog(null)}
        >
          <Text size="sm" c="dimmed">
            It can no longer be used to sign in, and you are signed out everywhere else. Enter your password to
            continue.
          </Text>
        </PasswordQuestion>
      )}
    </Section>
  );
}

function PasskeyLine({ of: passkey, onRemove }: { of: Passkey; onRemove: () => void }) {
  return (
    <li className={classes.session}>
      <div>
        <Group gap="xs">
          <Text size="sm" fw={500} className="breakable">
            {passkey.name}
          </Text>
          {passkey.synced && <Status tone="calm">On several devices</Status>}
        </Group>
        <Text size="sm" c="dimmed" component="div">
          added <Time at={passkey.created_at} as="relative" /> ·{' '}
          {passkey.last_used_at === null ? (
            'never used'
          ) : (
            <>
              last used <Time at={passkey.last_used_at} as="relative" />
            </>
          )}
        </Text>
      </div>
      <Button variant="default" onClick={onRemove} aria-label={`Remove the passkey ${passkey.name}`}>
        Remove
      </Button>
    </li>
  );
}
