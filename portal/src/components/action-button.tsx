// Components: a button that starts something.
import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef, MouseEvent } from 'react';

interface ActionButtonProps
  extends Omit<ButtonProps, 'loading'>,
    Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> {
  /** What it started goes on. */
  busy?: boolean;
}

const takeNoPress = (event: MouseEvent) => event.preventDefault();

/** While it is busy or disabled it takes no press, by pointer or by Enter in its form, and keeps the focus that it has. */
export function ActionButton({ busy = false, disabled = false, ...rest }: ActionButtonProps) {
  const inert = busy || disabled ? { 'aria-disabled': true, onClick: takeNoPress } : {};
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
