// Components: a confirmation for an action that cannot be undone, or that needs a choice.
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ActionState } from '../graphql/use-action.ts';
import { ActionButton } from './action-button.tsx';
import { ActionFault } from './page/action-fault.tsx';

export interface Question {
  /** A question that names the object: `Revoke “ERP”?` */
  title: ReactNode;
  /** The consequences. */
  children: ReactNode;
  /** The action, starting with a verb: `Revoke key`. */
  confirm: string;
  /** False for harmless actions. */
  destructive?: boolean | undefined;
}

interface ConfirmProps extends Question {
  opened: boolean;
  onClose: () => void;
  onConfirm: () => void;
  action: ActionState;
  /** The input of the action: an error is hidden once it changes. */
  about?: unknown;
}

export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, confirm, onConfirm, action, about, destructive = true } = props;
  const close = () => {
    action.cancel();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack gap="lg">
        <div>{children}</div>
        <ActionFault of={action} about={about} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <ActionButton {...(destructive ? { color: 'red' } : {})} onClick={onConfirm} busy={action.isPending}>
            {confirm}
          </ActionButton>
        </Group>
      </Stack>
    </Modal>
  );
}
