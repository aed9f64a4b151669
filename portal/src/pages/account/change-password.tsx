// Account: a new password for the old one.
import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { toFirstFault } from '../../components/first-fault.ts';
import { Failure } from '../../components/page/states.tsx';
import { useAuthStep } from '../../session/auth-step.ts';
import { changePassword } from '../../session/credentials.ts';
import { passwordFault } from '../../session/password-rules.ts';
import { SESSIONS } from '../../session/sessions.ts';

export function ChangePassword({ email }: { email: string }) {
  const { busy, error, run } = useAuthStep();
  const client = useQueryClient();
  const form = useForm({
    initialValues: { current: '', next: '', again: '' },
    validate: {
      current: (value) => (value === '' ? 'Enter your present password.' : null),
      next: passwordFault,
      again: (value, { next }) => (value === next ? null : 'The two passwords differ.'),
    },
  });
  const submit = form.onSubmit(
    ({ current, next }) =>
      run(async () => {
        await changePassword(current, next);
        form.reset();
        notifications.show({ message: 'Your password is changed.' });
        await client.invalidateQueries({ queryKey: SESSIONS });
      }),
    toFirstFault,
  );
  const field = (name: 'current' | 'next' | 'again', label: string, complete: string) => (
    <PasswordInput
      label={label}
      autoComplete={complete}
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide: ${label}` }}
      {...form.getInputProps(name)}
    />
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack maw="24rem">
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        {field('current', 'Present password', 'current-password')}
        {field('next', 'New password', 'new-password')}
        {field('again', 'New password again', 'new-password')}
        {error && <Failure error={error} />}
        <div>
          <Button type="submit" variant="default" loading={busy}>
            Change password
          </Button>
        </div>
      </Stack>
    </form>
  );
}
