// Schema: the latest calls of a firm's keys.
import { explain, outcomeOf } from '#core/outcome.ts';
import { scopesOf } from '#core/scopes.ts';
import { type AccessEntry, listCalls } from '#data/repositories/access-pages.ts';
import { requireUser } from '#gateway/actor.ts';
import { readOutcome } from '#gateway/portal-arguments.ts';
import { BY_TIME, readWalk, toWalkPage, type WalkPage } from '#gateway/walk.ts';
import { builder } from '../builder.ts';
import { pageArguments } from './page.ts';

const ofFirm = { firm: true } as const;

export const MOST_RECORDS = 1_000;

const Call = builder.objectRef<AccessEntry>('Call').implement({
  description: "A call of one of the firm's keys, about a client that a grant or request named.",
  fields: (t) => ({
    requestId: t.expose('requestId', {
      type: 'ID',
      authScopes: ofFirm,
      description: "As in the answer's X-Request-Id.",
    }),
    at: t.expose('at', { type: 'Timestamp', authScopes: ofFirm, description: 'When it was answered.' }),
    keyId: t.expose('keyId', { type: 'ID', authScopes: ofFirm, description: 'The key that called.' }),
    keyName: t.exposeString('keyName', { authScopes: ofFirm, description: 'Its name.' }),
    environment: t.exposeString('environment', { authScopes: ofFirm, description: 'sandbox or production.' }),
    clientId: t.expose('clientId', { type: 'ID', authScopes: ofFirm, description: "The client's user id." }),
    endpoint: t.exposeString('endpoint', {
      authScopes: ofFirm,
      description: 'Method and route, e.g. `GET /api/v1/assets`.',
    }),
    registryId: t.exposeString('registryId', {
      nullable: true,
      authScopes: ofFirm,
      description: 'The item named in the path.',
    }),
    scopes: t.stringList({
      authScopes: ofFirm,
      description: 'Names of the scopes in effect; none without an active grant.',
      resolve: ({ scopes }) => scopesOf(scopes),
    }),
    status: t.exposeInt('status', { authScopes: ofFirm, description: 'HTTP status.' }),
    outcome: t.string({
      authScopes: ofFirm,
      description: 'ok, refused (4xx), limited (429) or failed (5xx).',
      resolve: ({ status }) => outcomeOf(status),
    }),
    errorCode: t.exposeString('errorCode', {
      nullable: true,
      authScopes: ofFirm,
      description: 'Code of the error; null where there was none, or it was not kept yet.',
    }),
    errorMessage: t.string({
      nullable: true,
      authScopes: ofFirm,
      description: 'What the code means, in a sentence.',
      resolve: ({ errorCode }) => (errorCode === null ? null : explain(errorCode)),
    }),
  }),
});

const CallConnection = builder.objectRef<WalkPage<AccessEntry>>('CallConnection').implement({
  description: 'A page of the latest calls, newest first.',
  fields: (t) => ({
    nodes: t.expose('nodes', { type: [Call], authScopes: ofFirm, description: 'The calls of the page.' }),
    nextCursor: t.exposeString('nextCursor', {
      nullable: true,
      authScopes: ofFirm,
      description: 'Position of the page that follows; null on the last one.',
    }),
  }),
});

builder.queryField('calls', (t) =>
  t.field({
    type: CallConnection,
    authScopes: ofFirm,
    complexity: 50,
    description: "The latest calls of the firm's keys.",
    args: {
      keyId: t.arg.id({ description: 'Only of this key.' }),
      outcome: t.arg.string({ description: 'ok, refused, limited or failed.' }),
      endpoint: t.arg.string({ description: 'Only of this method and route.' }),
      requestId: t.arg.id({ description: 'Only the call with this id.' }),
      since: t.arg({ type: 'Timestamp', description: 'Inclusive.' }),
      until: t.arg({ type: 'Timestamp', description: 'Exclusive.' }),
      first: t.arg.int({ description: 'Rows per page, 1 to 1000; 25 where not given.' }),
      after: t.arg.string(pageArguments.after),
    },
    resolve: async (_root, args, context) => {
      const query = {
        keyId: args.keyId ?? null,
        outcome: readOutcome(args.outcome),
        endpoint: args.endpoint ?? null,
        requestId: args.requestId?.trim() || null,
        since: args.since ?? null,
        until: args.until ?? null,
      };
      const of = { list: 'calls', principal: context.principal, query, keys: BY_TIME, most: MOST_RECORDS };
      const request = readWalk(args, of, context.cursors);
      const calls = await listCalls(context.database, requireUser(context), query, request.walk);
      return toWalkPage(calls, request, ({ at, requestId }) => [at, requestId]);
    },
  }),
);
