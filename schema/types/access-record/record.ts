// Schema: a client's access record: who read, or tried to read, their portfolio.
import { explain, outcomeOf } from '#core/outcome.ts';
import { requireClient } from '#gateway/consent/actor.ts';
import { readSearch } from '#gateway/consent/portal-arguments.ts';
import { readWalk, toWalkPage, type WalkPage } from '#gateway/paging/keyset-pagination.ts';
import { BY_TIME } from '#gateway/paging/paging.ts';
import { type AccessEntry, listAccessWithin } from '#repositories/access-record/pages.ts';
import { listParties, type RecordParty as Party } from '#repositories/access-record/parties.ts';
import { builder, ofClient } from '../../builder.ts';
import { exposed, exposing } from '../../exposed.ts';
import { NEXT_CURSOR } from '../portfolio/page.ts';
import { disclosedFields } from './disclosed-items.ts';
import { MAX_RECORDS, RECORD_ARGS, RECORDED, readRecorded } from './recorded-call.ts';

const AccessRecordEntry = builder.objectRef<AccessEntry>('AccessRecordEntry').implement({
  description: "An entry of the access record: a call that read, or tried to read, the client's data.",
  fields: (t) => ({
    ...exposed(t, 'client', {
      requestId: ['ID', 'The id that the firm sees, too.'],
      firmId: ['ID', 'The firm that called.'],
      firmName: ['String', 'Its name.'],
      keyId: ['ID', 'The key that it called with.'],
      keyName: ['String', "The key's name."],
      toolRole: [
        'String?',
        "support or admin if the platform's staff read with the key; null for the firm's own call.",
      ],
      toolId: ['String?', 'The service token that they read with.'],
      itemTitle: ['String?', 'Title of the item in the path; null if there is none, or if it was deleted.'],
      ...RECORDED,
    }),
    ...disclosedFields(t),
    errorMessage: t.string({
      nullable: true,
      authScopes: ofClient,
      description: 'Meaning of the code, as a sentence.',
      resolve: ({ errorCode }) => (errorCode === null ? null : explain(errorCode)),
    }),
    outcome: t.string({
      authScopes: ofClient,
      description: 'allowed, refused, limited (429) or failed (5xx).',
      resolve: ({ status }) => {
        const outcome = outcomeOf(status);
        return outcome === 'ok' ? 'allowed' : outcome;
      },
    }),
  }),
});

const AccessRecordConnection = builder.objectRef<WalkPage<AccessEntry>>('AccessRecordConnection').implement({
  description: 'A page of the access record, newest first.',
  fields: exposing('client', { nodes: [[AccessRecordEntry], 'Entries of the page.'], ...NEXT_CURSOR }),
});

const RecordParty = builder.objectRef<Party>('RecordParty').implement({
  description: "A key in the client's access record, to filter the record by.",
  fields: exposing('client', {
    firmId: ['ID', 'The firm whose key it is.'],
    firmName: ['String', 'Its name.'],
    keyId: ['ID', 'The key.'],
    keyName: ['String', 'Its name.'],
  }),
});

builder.queryFields((t) => ({
  accessRecord: t.field({
    type: AccessRecordConnection,
    authScopes: ofClient,
    description: 'Calls about the client, allowed and refused.',
    args: {
      firmId: t.arg.id({ description: 'Only calls of this firm.' }),
      keyId: t.arg.id({ description: "Only calls with keys of this key's lineage." }),
      outcome: t.arg.string({ description: 'allowed, refused, limited or failed.' }),
      endpoint: t.arg.string({ description: 'Only calls of this method and route.' }),
      registryId: t.arg.string({
        description:
          'Only calls that named this item or returned it. If a grant may have covered it at the time, also totals and calls whose items are not recorded, including those from before it existed. A page with a next one may then have fewer rows than requested, or none.',
      }),
      requestId: t.arg.id({ description: 'Only the call with this id.' }),
      since: t.arg({ type: 'Timestamp', description: 'Inclusive.' }),
      until: t.arg({ type: 'Timestamp', description: 'Exclusive.' }),
      ...RECORD_ARGS,
    },
    resolve: async (_root, args, context) => {
      const query = {
        ...readRecorded(args),
        firmId: args.firmId ?? null,
        registryId: readSearch(args.registryId),
        requestId: readSearch(args.requestId),
      };
      const request = readWalk(args, { list: 'accessRecord', query, keys: BY_TIME, max: MAX_RECORDS }, context);
      const found = await listAccessWithin(context.database, requireClient(context), query, request.walk);
      return toWalkPage(found.entries, request, ({ at, requestId }) => [at, requestId], found.stoppedAt);
    },
  }),
  accessRecordParties: t.field({
    type: [RecordParty],
    authScopes: ofClient,
    description: 'Every key in the record, by firm and name.',
    resolve: (_root, _args, context) => listParties(context.database, requireClient(context)),
  }),
}));
