// Components: a field for a password or another secret, which can be shown, and tells assistive technology when it is invalid.
import { PasswordInput, type PasswordInputProps } from '@mantine/core';

interface PasswordFieldProps extends PasswordInputProps {
  label: string;
  /** What the button beside it shows or hides, as a part of a sentence. */
  named: string;
}

export function PasswordField({ named, ...field }: PasswordFieldProps) {
  return (
    <PasswordInput
      {...field}
      // Mantine does so for its other fields.
      aria-invalid={field.error ? true : undefined}
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide the ${named}` }}
    />
  );
}
