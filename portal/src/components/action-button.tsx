// Components: a button that starts an action.
import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef, MouseEvent } from 'react';

interface ActionButtonProps
  extends Omit<ButtonProps, 'loading'>,
    Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> {
  /** Whether the action is running. */
  busy?: boolean;
}

const ignorePress = (event: MouseEvent) => event.preventDefault();

/** While it is busy or disabled it ignores clicks and Enter in its form, but keeps the focus. */
export function ActionButton({ busy = false, disabled = false, ...rest }: ActionButtonProps) {
  const inert = busy || disabled ? { 'aria-disabled': true, onClick: ignorePress } : {};
  return (
    <Button
      {...rest}
      {...inert}
      loading={busy}
      data-disabled={disabled}
      renderRoot={(root) => <button {...root} disabled={false} />}
    />
  );
}
