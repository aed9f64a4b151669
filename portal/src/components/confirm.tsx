// Components: a question before something that cannot be taken back, or that needs a choice.
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { StepState } from '../graphql/use-step.ts';
import { ActionButton } from './action-button.tsx';
import { StepFault } from './page/step-fault.tsx';

interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  /** A question that names the thing: `Revoke “ERP”?` */
  title: ReactNode;
  /** What will happen. */
  children: ReactNode;
  /** The deed, as a verb: `Revoke key`. */
  confirm: string;
  onConfirm: () => void;
  step: StepState;
  /** What would be sent: the step's fault goes when it is changed. */
  about?: unknown;
  /** False for what harms nobody. */
  destructive?: boolean;
}

export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, confirm, onConfirm, step, about, destructive = true } = props;
  const close = () => {
    step.cancel();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack gap="lg">
        <div>{children}</div>
        <StepFault of={step} about={about} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <ActionButton {...(destructive ? { color: 'red' } : {})} onClick={onConfirm} busy={step.isPending}>
            {confirm}
          </ActionButton>
        </Group>
      </Stack>
    </Modal>
  );
}
