// Account: asks for the password again before a change that affects the account's security.
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ActionButton } from '../../components/action-button.tsx';
import { useFocusBack } from '../../components/focus.ts';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { Failure } from '../../components/page/states.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useAuthAction } from '../../session/auth-action.ts';

interface PasswordQuestionProps {
  title: ReactNode;
  confirm: string;
  destructive: boolean;
  /** Throws PorticoError for a wrong password. */
  onAnswer: (password: string) => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}

const EMPTY = { password: '' };

export function PasswordQuestion(props: PasswordQuestionProps) {
  const { title, confirm, destructive, onAnswer, onClose, children } = props;
  useFocusBack();
  const { busy, error, run } = useAuthAction({ wrong_password: 'password' });
  const { form, fault, submit } = useGuardedForm({
    name: 'question',
    guard: 'ask',
    start: EMPTY,
    validate: { password: (value) => (value === '' ? 'Enter your password.' : null) },
    refused: error,
  });
  const send = submit(({ password }) => run(() => onAnswer(password)));
  // The change cannot be stopped any more, and what it shows comes after this dialog.
  const close = () => {
    if (!busy) onClose();
  };
  return (
    <Modal opened onClose={close} title={title}>
      <form onSubmit={send} noValidate>
        <Stack>
          {children}
          <PasswordField
            label="Password"
            named="password"
            autoComplete="current-password"
            data-autofocus
            {...form.getInputProps('password')}
          />
          {fault && <Failure error={fault} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} disabled={busy}>
              Cancel
            </Button>
            <ActionButton type="submit" busy={busy} {...(destructive ? { color: 'red' } : {})}>
              {confirm}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
