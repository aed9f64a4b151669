// Components: the end of a form, with the buttons to send and to cancel.
import { Button, Group } from '@mantine/core';
import { ActionButton } from './action-button.tsx';

interface FormEndProps {
  /** The label of the send button. */
  send: string;
  action: { isPending: boolean; cancel: () => void };
  onCancel: () => void;
}

export function FormEnd({ send, action, onCancel }: FormEndProps) {
  return (
    <Group gap="sm">
      <ActionButton type="submit" busy={action.isPending}>
        {send}
      </ActionButton>
      <Button
        variant="default"
        onClick={() => {
          action.cancel();
          onCancel();
        }}
      >
        Cancel
      </Button>
    </Group>
  );
}
