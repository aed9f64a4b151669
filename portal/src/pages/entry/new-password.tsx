// Entry: a new password, entered twice.
import { PasswordInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { passwordFault } from '../../session/password-rules.ts';

interface NewPassword {
  password: string;
  again: string;
}

export const passwordRules = {
  password: passwordFault,
  again: (value: string, { password }: NewPassword) => (value === password ? null : 'The two passwords differ.'),
};

interface NewPasswordFieldsProps<Values> {
  form: UseFormReturnType<Values>;
  autoFocus?: boolean;
}

export function NewPasswordFields<Values extends NewPassword>({
  form,
  autoFocus = false,
}: NewPasswordFieldsProps<Values>) {
  return (
    <>
      <PasswordInput
        label="New password"
        autoComplete="new-password"
        autoFocus={autoFocus}
        size="md"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the new password' }}
        {...form.getInputProps('password')}
      />
      <PasswordInput
        label="New password again"
        autoComplete="new-password"
        size="md"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the repeated password' }}
        {...form.getInputProps('again')}
      />
    </>
  );
}
