// Firm: revokes a key, after a question that names what depends on it.
import { List, Text } from '@mantine/core';
import { ConfirmedAction } from '../../../components/confirmed-action.tsx';
import { withNames } from '../../../components/names.ts';
import { countOf } from '../../../components/numbers.tsx';
import { Time } from '../../../components/time.tsx';
import { FirmKey, type FirmKeyQuery, RevokeKey } from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';

export function RevokeKeyButton({ of: key }: { of: FirmKeyQuery['body'] }) {
  return (
    <ConfirmedAction
      operation={RevokeKey}
      variables={{ id: key.id }}
      lookUp={async (of) => {
        const found = await call(FirmKey, of);
        return found.status === 'revoked' ? found : null;
      }}
      label="Revoke"
      variant="outline"
      color="red"
      title={withNames`Revoke “${key.name}”?`}
      confirm="Revoke key"
      done={withNames`“${key.name}” is revoked. Requests with it fail from now on.`}
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
            : `${countOf(key.activeGrants, 'client has', 'clients have')} granted it access`}
        </List.Item>
      </List>
    </ConfirmedAction>
  );
}
