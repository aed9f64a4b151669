// Components: the end of a form: the button that sends it, and the one that leaves it as it was.
import { Button, Group } from '@mantine/core';
import { ActionButton } from './action-button.tsx';

interface FormEndProps {
  /** What sending does. */
  send: string;
  step: { isPending: boolean; cancel: () => void };
  onCancel: () => void;
}

export function FormEnd({ send, step, onCancel }: FormEndProps) {
  return (
    <Group gap="sm">
      <ActionButton type="submit" busy={step.isPending}>
        {send}
      </ActionButton>
      <Button
        variant="default"
        onClick={() => {
          step.cancel();
          onCancel();
        }}
      >
        Cancel
      </Button>
    </Group>
  );
}
