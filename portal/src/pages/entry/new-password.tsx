// Entry: a new password, entered twice.
import type { UseFormReturnType } from '@mantine/form';
import { PasswordField } from '../../components/password-field.tsx';
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
  size?: 'sm' | 'md';
}

export function NewPasswordFields<Values extends NewPassword>({
  form,
  autoFocus = false,
  size = 'md',
}: NewPasswordFieldsProps<Values>) {
  return (
    <>
      <PasswordField
        label="New password"
        named="new password"
        autoComplete="new-password"
        autoFocus={autoFocus}
        size={size}
        {...form.getInputProps('password')}
      />
      <PasswordField
        label="New password again"
        named="repeated password"
        autoComplete="new-password"
        size={size}
        {...form.getInputProps('again')}
      />
    </>
  );
}
