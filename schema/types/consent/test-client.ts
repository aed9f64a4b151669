// Schema: a firm's test clients, and the actions of its members on their behalf.
import { randomInt } from 'node:crypto';
import type { Actor } from '#core/actor.ts';
import { requireFirm, requireUser } from '#gateway/consent/actor.ts';
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
import { seen } from './grant-list.ts';

const TestClient = builder.objectRef<TestClientShape>('TestClient').implement({
  description: 'A sandbox client that the firm made to try things with; nobody else can have to do with it.',
  fields: exposing('firm', {
    id: ['ID', 'The client: `usr_` and a ULID.'],
    name: ['String', 'Ends in “(test client)”.'],
    reportingCurrency: ['String', 'ISO 4217.'],
    itemCount: ['Int', 'How many items it has.'],
    createdAt: ['Timestamp', 'When it was made.'],
  }),
});

interface TestClientList {
  clients: TestClientShape[];
  most: number;
}

const TestClients = builder.objectRef<TestClientList>('TestClients').implement({
  description: 'The test clients of a firm.',
  fields: exposing('firm', {
    clients: [[TestClient], 'Newest first.'],
    most: ['Int', 'How many there may be at a time.'],
  }),
});

const listOf = async (context: Context): Promise<TestClientList> => ({
  clients: await listTestClients(context.database, requireFirm(context)),
  most: context.maxTestClientsPerFirm,
});

builder.queryField('testClients', (t) =>
  t.field({
    type: TestClients,
    authScopes: ofFirm,
    complexity: 20,
    description: 'The test clients of the firm.',
    resolve: (_root, _args, context) => listOf(context),
  }),
);

builder.mutationFields((t) => ({
  createTestClient: t.field({
    type: TestClient,
    authScopes: ofDeveloper,
    description: 'A sandbox client of the firm with items, valuations, documents and collections that a seed chooses.',
    args: {
      name: t.arg.string({ description: 'Up to 186 characters; not given: one that the seed chooses.' }),
      seed: t.arg.int({ description: '0 to 2147483647: of one seed the items are alike. Not given: any.' }),
      idempotencyKey: t.arg.id({ description: 'Chosen by the caller: sent twice with the same, it is made once.' }),
    },
    resolve: (_root, { name, seed, idempotencyKey }, context) => {
      const firmId = requireFirm(context);
      const wanted = {
        ...{ firmId, name: name ?? undefined, seed: seed ?? randomInt(2 ** 31) },
        idempotencyKey: idempotencyKey ?? undefined,
      };
      const member: Actor = { kind: 'firm_member', id: requireUser(context) };
      return createTestClient(context.database, wanted, member, context.maxTestClientsPerFirm);
    },
  }),
  deleteTestClient: t.field({
    type: TestClients,
    authScopes: ofDeveloper,
    description: 'Deletes a test client with its items, and ends its grants. Those that stay.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }, context) => {
      const of = { firmId: requireFirm(context), id };
      await deleteTestClient(context.database, of, { id: requireUser(context) });
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
      'Takes a step of a grant as the test client whose grant it is. It is recorded as taken by the member for the test client.',
    args: {
      id: t.arg.id({ required: true, description: 'The grant.' }),
      step: t.arg.string({ required: true, description: '`approve`, `change`, `revoke`, or `expire`: it ends now.' }),
      scopes: t.arg.stringList({ description: 'Of `approve` and `change`; not given: as they are.' }),
      filter: t.arg({ type: GrantFilterInput, description: 'Of `approve` and `change`; not given: as it is.' }),
    },
    resolve: (_root, { id, step, ...given }, context) => {
      requireFirm(context);
      const actor: Actor = { kind: 'member_as_test_client', id: requireUser(context) };
      const terms = readTerms(given);
      const { database } = context;
      switch (oneOf('step', STEPS, step)) {
        case 'approve':
          return seen(context, approveGrant(database, id, terms, actor));
        case 'change':
          return seen(context, changeGrant(database, id, terms, actor));
        case 'revoke':
          return seen(context, revokeGrant(database, id, actor));
        case 'expire':
          return seen(context, expireGrant(database, id, actor));
      }
    },
  }),
);
