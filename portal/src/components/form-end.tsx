// Components: the end of a form, with the buttons to send and to cancel.
import { Button, Group } from '@mantine/core';
import { Link } from 'wouter';
import { ActionButton } from './action-button.tsx';

interface FormEndProps {
  /** The label of the send button. */
  send: string;
  /** For fields outside of a form element, in which Enter does not send. */
  onSend?: () => void;
  disabled?: boolean;
  action: { isPending: boolean; cancel: () => void };
  /** With `to`: before the page is left. */
  onCancel: () => void;
  /** The page that cancelling leads to; absent if it stays on this one. */
  to?: string;
}

export function FormEnd({ send, onSend, disabled = false, action, onCancel, to }: FormEndProps) {
  const cancel = () => {
    action.cancel();
    onCancel();
  };
  return (
    <Group gap="sm">
      <ActionButton
        {...(onSend === undefined ? { type: 'submit' } : { onClick: onSend })}
        busy={action.isPending}
        disabled={disabled}
      >
        {send}
      </ActionButton>
      <Button variant="default" onClick={cancel} {...(to === undefined ? {} : { component: Link, href: to })}>
        Cancel
      </Button>
    </Group>
  );
}
