// Firm: actions with test clients: create, request, act on their behalf, delete.
import { notifications } from '@mantine/notifications';
import { useRef } from 'react';
import { ulid } from 'ulid';
import type { FilterWords } from '../../../components/grants/grant-filter.ts';
import {
  CreateTestClient,
  DeleteTestClient,
  FirmKey,
  FirmKeys,
  GrantCounts,
  GrantDetail,
  Grants,
  RequestGrant,
  StepAsTestClient,
  TestClientGrants,
  TestClients,
} from '../../../generated/operations.ts';
import { call } from '../../../graphql/call.ts';
import { find } from '../../../graphql/find.ts';
import { newId } from '../../../graphql/new-id.ts';
import type { BodyOf } from '../../../graphql/operation.ts';
import { useStep } from '../../../graphql/use-step.ts';

export type TestClient = BodyOf<typeof TestClients>['clients'][number];
export type TestGrant = BodyOf<typeof TestClientGrants>['nodes'][number];

/** The parts of a test client's grant that actions need. */
export interface SteppedGrant {
  id: string;
  status: string;
  scopes: readonly string[];
  filter: FilterWords;
}

const OF_GRANTS = [TestClientGrants, Grants, GrantDetail, GrantCounts, FirmKeys, FirmKey] as const;

/** The key that requests access, with all its scopes and for all items. */
interface AskingKey {
  id: string;
  scopes: readonly string[];
}

export function useAskTestClient() {
  const ask = useStep(RequestGrant, {
    touches: OF_GRANTS,
    ask: ({ id }) => find(GrantDetail, { id: id ?? '' }),
  });
  return {
    ...ask,
    take: (client: { id: string }, key: AskingKey) =>
      ask.take({
        ...{ id: newId('grt'), keyId: key.id, client: client.id, scopes: [...key.scopes] },
        ...{ filter: { type: 'all' }, purpose: 'Trying the API with a test client.' },
      }),
  };
}

/** Creates a test client and, with a key, requests access from it. */
export function useCreateTestClient(key: AskingKey | undefined) {
  const asking = useRef(key);
  asking.current = key;
  const ask = useAskTestClient();
  const create = useStep(CreateTestClient, {
    touches: [TestClients],
    // The list is newest first.
    ask: async (_variables, since) =>
      (await call(TestClients, {})).clients.find(({ createdAt }) => Date.parse(createdAt) >= since) ?? null,
    onDone: (client) => {
      if (asking.current !== undefined) ask.take(client, asking.current);
      else notifications.show({ message: `${client.name} is there, with ${client.itemCount} items.` });
    },
  });
  return {
    isPending: create.isPending || ask.isPending,
    lost: create.lost || ask.lost,
    error: create.error ?? ask.error,
    take: () => create.take({ idempotencyKey: ulid() }),
  };
}

export function useDeleteTestClient(onDone: () => void) {
  return useStep(DeleteTestClient, {
    touches: [TestClients, ...OF_GRANTS],
    ask: async ({ id }) => {
      const found = await call(TestClients, {});
      return found.clients.some((client) => client.id === id) ? null : found;
    },
    onDone,
  });
}

const DONE: Record<string, string> = {
  approve: 'Approved. The key reads from now on.',
  change: 'Narrowed. The next call shows less.',
  revoke: 'Revoked. The next call is refused.',
  expire: 'Expired. The next call is refused.',
};

const BECOMES: Record<string, string> = { approve: 'active', change: 'active', revoke: 'revoked', expire: 'expired' };

/** An action on a grant, on behalf of the test client. */
export function useStepAsTestClient(onDone: () => void = () => {}) {
  const taken = useRef('');
  const step = useStep(StepAsTestClient, {
    touches: OF_GRANTS,
    ask: async (wanted) => {
      const found = await call(GrantDetail, { id: wanted.id });
      const asWanted = !Array.isArray(wanted.scopes) || found.scopes.length === wanted.scopes.length;
      return found.status === BECOMES[wanted.step] && asWanted ? found : null;
    },
    onDone: () => {
      notifications.show({ message: DONE[taken.current] });
      onDone();
    },
  });
  return {
    ...step,
    take: (variables: Parameters<typeof step.take>[0]) => {
      taken.current = variables.step;
      step.take(variables);
    },
  };
}
