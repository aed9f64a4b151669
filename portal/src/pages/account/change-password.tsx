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
import { SESSIONS } from '../../session/sessions.ts';
import { NewPasswordFields, passwordRules } from '../entry/new-password.tsx';

const EMPTY = { current: '', password: '', again: '' };

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
      ...passwordRules,
    },
  });
  const send = submit(({ current, password }) =>
    run(async () => {
      await changePassword(current, password);
      form.reset();
      notifications.show({ message: 'Your password is changed.' });
      await client.invalidateQueries({ queryKey: SESSIONS });
    }),
  );
  return (
    <form onSubmit={send} noValidate>
      <Stack maw="24rem">
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Present password"
          named="present password"
          autoComplete="current-password"
          {...form.getInputProps('current')}
        />
        <NewPasswordFields form={form} size="sm" />
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
