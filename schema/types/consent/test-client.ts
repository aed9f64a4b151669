// Schema: a firm's test clients, and the actions of its members on their behalf.
import { randomInt } from 'node:crypto';
import type { Actor } from '#core/actor.ts';
import { MAX_TEST_CLIENT_NAME } from '#core/text-lengths.ts';
import { actorOf, requireFirm, requireUser } from '#gateway/consent/actor.ts';
import { oneOf, readTerms } from '#gateway/consent/portal-arguments.ts';
import type { Context } from '#gateway/execution/context.ts';
import { approveGrant, changeGrant, expireGrant, revokeGrant } from '#repositories/grants/grants.ts';
import {
  createTestClient,
  deleteTestClient,
  listTestClients,
  type TestClient as TestClientShape,
} from '#repositories/sandbox/test-clients.ts';
import { builder, ofDeveloper, ofFirm } from '../../builder.ts';
import { exposing } from '../../exposed.ts';
import { Grant } from './grant.ts';
import { GrantFilterInput } from './grant-filter.ts';
import { viewAfter } from './grant-list.ts';

const TestClient = builder.objectRef<TestClientShape>('TestClient').implement({
  description: 'A sandbox client that the firm made for tests. Other firms cannot deal with it.',
  fields: exposing('firm', {
    id: ['ID', 'The client: `usr_` and a ULID.'],
    name: ['String', 'Ends in “(test client)”.'],
    itemCount: ['Int', 'Number of its items.'],
    createdAt: ['Timestamp', 'When it was created.'],
  }),
});

interface TestClientList {
  clients: TestClientShape[];
  max: number;
}

const TestClients = builder.objectRef<TestClientList>('TestClients').implement({
  description: 'The test clients of a firm.',
  fields: exposing('firm', {
    clients: [[TestClient], 'Newest first.'],
    max: ['Int', 'Maximum number at a time.'],
  }),
});

const listOf = async (context: Context): Promise<TestClientList> => ({
  clients: await listTestClients(context.database, requireFirm(context)),
  max: context.maxTestClientsPerFirm,
});

builder.queryField('testClients', (t) =>
  t.field({
    type: TestClients,
    authScopes: ofFirm,
    description: 'The test clients of the firm.',
    resolve: (_root, _args, context) => listOf(context),
  }),
);

builder.mutationFields((t) => ({
  createTestClient: t.field({
    type: TestClient,
    authScopes: ofDeveloper,
    description:
      'Creates a test client of the firm, with items, valuations, documents and collections generated from a seed.',
    args: {
      name: t.arg.string({ description: `Up to ${MAX_TEST_CLIENT_NAME} characters; chosen by the seed if not given.` }),
      seed: t.arg.int({ description: '0 to 2147483647. The same seed gives the same items; random if not given.' }),
      idempotencyKey: t.arg.id({ description: 'Chosen by the caller. Requests with the same key create one client.' }),
    },
    resolve: (_root, { name, seed, idempotencyKey }, context) => {
      const firmId = requireFirm(context);
      const wanted = {
        ...{ firmId, name: name ?? undefined, seed: seed ?? randomInt(2 ** 31) },
        idempotencyKey: idempotencyKey ?? undefined,
      };
      return createTestClient(context.database, wanted, actorOf(context.principal), context.maxTestClientsPerFirm);
    },
  }),
  deleteTestClient: t.field({
    type: TestClients,
    authScopes: ofDeveloper,
    description: 'Deletes a test client with its items, and ends its grants. Returns the remaining test clients.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      await deleteTestClient(context.database, { firmId: requireFirm(context), id }, actorOf(context.principal));
      return listOf(context);
    },
  }),
}));

const STEPS = ['approve', 'change', 'revoke', 'expire'] as const;

builder.mutationField('stepAsTestClient', (t) =>
  t.field({
    type: Grant,
    authScopes: ofDeveloper,
    description:
      'Acts on a grant in place of the test client. It is recorded as an act of the member for the test client.',
    args: {
      id: t.arg.id({ required: true, description: 'The grant.' }),
      step: t.arg.string({ required: true, description: '`approve`, `change`, `revoke`, or `expire` (at once).' }),
      scopes: t.arg.stringList({ description: 'For `approve` and `change`; unchanged if not given.' }),
      filter: t.arg({ type: GrantFilterInput, description: 'For `approve` and `change`; unchanged if not given.' }),
    },
    resolve: (_root, { id, step, ...given }, context) => {
      requireFirm(context);
      const actor: Actor = { kind: 'member_as_test_client', id: requireUser(context) };
      const terms = readTerms(given);
      const { database } = context;
      switch (oneOf('step', STEPS, step)) {
        case 'approve':
          return viewAfter(context, approveGrant(database, id, terms, actor));
        case 'change':
          return viewAfter(context, changeGrant(database, id, terms, actor));
        case 'revoke':
          return viewAfter(context, revokeGrant(database, id, actor));
        case 'expire':
          return viewAfter(context, expireGrant(database, id, actor));
      }
    },
  }),
);
