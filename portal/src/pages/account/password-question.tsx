// Account: the password, asked for again before something that guards the account changes.
import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Failure } from '../../components/page/states.tsx';
import { useAuthStep } from '../../session/auth-step.ts';

interface PasswordQuestionProps {
  title: string;
  confirm: string;
  destructive: boolean;
  /** Throws PorticoError where the password is wrong. */
  onAnswer: (password: string) => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}

export function PasswordQuestion(props: PasswordQuestionProps) {
  const { title, confirm, destructive, onAnswer, onClose, children } = props;
  const [password, setPassword] = useState('');
  const { busy, error, run } = useAuthStep();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => onAnswer(password));
  };
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {children}
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
          />
          {error && <Failure error={error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={password === ''} {...(destructive ? { color: 'red' } : {})}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
