// Firm: actions with test clients: create, request, act on their behalf, delete.
import { notifications } from '@mantine/notifications';
import { useRef } from 'react';
import { ulid } from 'ulid';
import { withNames } from '../../../components/names.ts';
import {
  CreateTestClient,
  GrantDetail,
  RequestGrant,
  StepAsTestClient,
  type TestClientGrantsQuery,
  TestClients,
  type TestClientsQuery,
} from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { find } from '../../../graphql/find.ts';
import { newId } from '../../../graphql/new-id.ts';
import { useAction } from '../../../graphql/use-action.ts';
import type { KeyChoice } from '../keys/key-label.ts';

export type TestClient = TestClientsQuery['body']['clients'][number];
export type TestGrant = TestClientGrantsQuery['body']['nodes'][number];

/** The parts of a test client's grant that actions need. */
export type GrantToActOn = Pick<TestGrant, 'id' | 'status' | 'scopes' | 'filter'>;

/** The key that requests access, with all its scopes and for all items. */
type RequestingKey = Pick<KeyChoice, 'id' | 'scopes'>;

export function useRequestToTestClient() {
  const request = useAction(RequestGrant, { lookUp: ({ id }) => find(GrantDetail, { id: id ?? '' }) });
  return {
    ...request,
    start: (client: { id: string }, key: RequestingKey) =>
      request.start({
        id: newId('grt'),
        keyId: key.id,
        client: client.id,
        scopes: key.scopes,
        filter: { type: 'all' },
        purpose: 'Trying the API with a test client.',
      }),
  };
}

/** Creates a test client and, with a key, requests access from it. */
export function useCreateTestClient(key: RequestingKey | undefined) {
  const currentKey = useRef(key);
  currentKey.current = key;
  const request = useRequestToTestClient();
  const create = useAction(CreateTestClient, {
    // The list is newest first.
    lookUp: async (_variables, since) =>
      (await call(TestClients, {})).clients.find(({ createdAt }) => Date.parse(createdAt) >= since) ?? null,
    onDone: (client) => {
      if (currentKey.current !== undefined) request.start(client, currentKey.current);
      else notifications.show({ message: withNames`${client.name} was created, with ${client.itemCount} items.` });
    },
  });
  return {
    isPending: create.isPending || request.isPending,
    lost: create.lost || request.lost,
    error: create.error ?? request.error,
    start: () => create.start({ idempotencyKey: ulid() }),
  };
}

const DONE: Record<string, string> = {
  approve: 'Approved. The key reads from now on.',
  change: 'Narrowed. The next call shows less.',
  revoke: 'Revoked. The next call is refused.',
  expire: 'Expired. The next call is refused.',
};

const STATUS_AFTER: Record<string, string> = {
  approve: 'active',
  change: 'active',
  revoke: 'revoked',
  expire: 'expired',
};

/** An action on a grant, on behalf of the test client. */
export function useActAsTestClient(onDone: () => void) {
  const lastAction = useRef('');
  const action = useAction(StepAsTestClient, {
    lookUp: async (sent) => {
      const found = await call(GrantDetail, { id: sent.id });
      const hasScopes = !Array.isArray(sent.scopes) || found.scopes.length === sent.scopes.length;
      return found.status === STATUS_AFTER[sent.step] && hasScopes ? found : null;
    },
    done: () => DONE[lastAction.current],
    onDone,
  });
  return {
    ...action,
    start: (variables: Parameters<typeof action.start>[0]) => {
      lastAction.current = variables.step;
      action.start(variables);
    },
  };
}
