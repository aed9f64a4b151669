// Firm: the end of a key, after a question that says what depends on it.
import { List, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Confirm } from '../../../components/confirm.tsx';
import { countOf } from '../../../components/numbers.tsx';
import { Time } from '../../../components/time.tsx';
import { FirmKey, FirmKeys, GrantCounts, Grants, KeyChoices, RevokeKey } from '../../../generated/operations.ts';
import { useMutate } from '../../../graphql/hooks.ts';
import type { KeyBody } from './key-body.ts';

interface RevokeKeyDialogProps {
  of: KeyBody;
  opened: boolean;
  onClose: () => void;
}

export function RevokeKeyDialog({ of: key, opened, onClose }: RevokeKeyDialogProps) {
  const revoke = useMutate(RevokeKey, {
    touches: [FirmKeys, FirmKey, KeyChoices, Grants, GrantCounts],
    onDone: () => {
      onClose();
      notifications.show({ message: `“${key.name}” is revoked. Requests with it fail from now on.` });
    },
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Revoke “${key.name}”?`}
      confirm="Revoke key"
      onConfirm={() => revoke.mutate({ id: key.id })}
      busy={revoke.isPending}
      error={revoke.error}
    >
      <Text size="sm">Requests with it fail at once, and it cannot be brought back.</Text>
      <List size="sm" mt="md" spacing={6}>
        <List.Item>
          {key.traffic.last24Hours === 0
            ? 'No request in the last 24 hours'
            : `${countOf(key.traffic.last24Hours, 'request')} in the last 24 hours`}
          {key.traffic.lastCallAt !== null && (
            <>
              , the last <Time at={key.traffic.lastCallAt} as="relative" />
            </>
          )}
        </List.Item>
        <List.Item>{countOf(key.traffic.last7Days, 'request')} in the last 7 days</List.Item>
        <List.Item>
          {key.activeGrants === 0
            ? 'No client has granted it access'
            : `${countOf(key.activeGrants, 'client')} ${key.activeGrants === 1 ? 'has' : 'have'} granted it access`}
        </List.Item>
      </List>
    </Confirm>
  );
}
