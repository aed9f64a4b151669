// Account: changes the password.
import { Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { ActionButton } from '../../components/action-button.tsx';
import { useGuardedForm } from '../../components/guarded-form.ts';
import { Failure } from '../../components/page/states.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useAuthAction } from '../../session/auth-action.ts';
import { changePassword } from '../../session/credentials.ts';
import { passwordFault } from '../../session/password-rules.ts';
import { SESSIONS } from '../../session/sessions.ts';

const EMPTY = { current: '', next: '', again: '' };

export function ChangePassword({ email }: { email: string }) {
  const { busy, error, run } = useAuthAction({ wrong_password: 'current' });
  const client = useQueryClient();
  const { form, fault, submit } = useGuardedForm({
    name: 'password',
    guard: 'ask',
    start: EMPTY,
    refused: error,
    validate: {
      current: (value) => (value === '' ? 'Enter your present password.' : null),
      next: passwordFault,
      again: (value, { next }) => (value === next ? null : 'The two passwords differ.'),
    },
  });
  const send = submit(({ current, next }) =>
    run(async () => {
      await changePassword(current, next);
      form.reset();
      notifications.show({ message: 'Your password is changed.' });
      await client.invalidateQueries({ queryKey: SESSIONS });
    }),
  );
  const field = (name: 'current' | 'next' | 'again', label: string, complete: string) => (
    <PasswordField label={label} named={label.toLowerCase()} autoComplete={complete} {...form.getInputProps(name)} />
  );
  return (
    <form onSubmit={send} noValidate>
      <Stack maw="24rem">
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        {field('current', 'Present password', 'current-password')}
        {field('next', 'New password', 'new-password')}
        {field('again', 'New password again', 'new-password')}
        {fault && <Failure error={fault} />}
        <div>
          <ActionButton type="submit" variant="default" busy={busy}>
            Change password
          </ActionButton>
        </div>
      </Stack>
    </form>
  );
}
