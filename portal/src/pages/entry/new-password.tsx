// Entry: a new password, entered twice.
import type { UseFormReturnType } from '@mantine/form';
import { MAX_PASSWORD, MIN_PASSWORD } from '#core/text-lengths.ts';
import { PasswordField } from '../../components/password-field.tsx';

interface NewPassword {
  password: string;
  again: string;
}

/** The server checks the length again. */
export const passwordRules = {
  password: (value: string) => {
    if (value.length < MIN_PASSWORD) return `Use at least ${MIN_PASSWORD} characters.`;
    return value.length > MAX_PASSWORD ? `Use at most ${MAX_PASSWORD} characters.` : null;
  },
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
