// Components: a question before something that cannot be taken back.
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PorticoError } from '../graphql/portico-error.ts';
import { Failure } from './page/states.tsx';

interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  /** A question that names the thing: `Revoke “ERP”?` */
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** The deed, as a verb: `Revoke key`. */
  confirm: string;
  onConfirm: () => void;
  busy?: boolean;
  error?: PorticoError | null;
  /** False for what harms nobody. */
  destructive?: boolean;
}

export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, confirm, onConfirm, busy = false, error, destructive = true } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="lg">
        <div>{children}</div>
        {error && <Failure error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button {...(destructive ? { color: 'red' } : {})} onClick={onConfirm} loading={busy}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
