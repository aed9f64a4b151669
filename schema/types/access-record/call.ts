// Schema: the latest calls of a firm's keys.
import { refuseParameter } from '#core/errors.ts';
import { explain, OUTCOMES, outcomeOf } from '#core/outcome.ts';
import { requireUser } from '#gateway/consent/actor.ts';
import { readSearch } from '#gateway/consent/portal-arguments.ts';
import { readWalk, toWalkPage, type WalkPage } from '#gateway/paging/keyset-pagination.ts';
import { BY_TIME } from '#gateway/paging/paging.ts';
import { type AccessEntry, listCalls, type RequestSearch } from '#repositories/access-record/pages.ts';
import { builder, ofFirm } from '../../builder.ts';
import { either } from '../../either.ts';
import { exposed, exposing } from '../../exposed.ts';
import { NEXT_CURSOR } from '../portfolio/page.ts';
import { MAX_RECORDS, RECORD_ARGS, RECORDED, readRecorded } from './recorded-call.ts';

const Call = builder.objectRef<AccessEntry>('Call').implement({
  description: "A call with one of the firm's keys, including failed calls.",
  fields: (t) => ({
    ...exposed(t, 'firm', {
      requestId: ['ID', 'The X-Request-Id of the response.'],
      keyId: ['ID', 'The key that called.'],
      keyName: ['String', 'Its name.'],
      clientId: [
        'ID?',
        'The user id in the request; null if it had no well-formed one. Does not tell whether the client exists.',
      ],
      path: ['String?', 'Path of a call to no endpoint.'],
      param: ['String?', 'The parameter or header at fault.'],
      version: ['Date?', 'Version of the API; null if the request named no supported one, or if it was not recorded.'],
      tookMs: [
        'Float?',
        "Milliseconds from the request's headers to the response, at the gateway; null if not recorded.",
      ],
      address: ['String?', 'Address of the caller; null if not recorded.'],
      userAgent: [
        'String?',
        'User-Agent of the request, at most 200 characters; null if it had none, or if it was not recorded.',
      ],
      ...RECORDED,
    }),
    errorMessage: t.string({
      nullable: true,
      authScopes: ofFirm,
      description: 'Error message of the response; the meaning of the code if the message was not recorded.',
      resolve: ({ errorCode, message }) => message ?? (errorCode === null ? null : explain(errorCode)),
    }),
    outcome: t.string({
      authScopes: ofFirm,
      description: 'ok, refused (4xx), limited (429) or failed (5xx).',
      resolve: ({ status }) => outcomeOf(status),
    }),
  }),
});

const CallConnection = builder.objectRef<WalkPage<AccessEntry>>('CallConnection').implement({
  description: 'A page of the latest calls, newest first.',
  fields: exposing('firm', { nodes: [[Call], 'The calls of the page.'], ...NEXT_CURSOR }),
});

const WHOLE_ID = /^req_[0-9A-Z]{26}$/;
const END_OF_ID = /[0-9A-Z]{4,26}$/;

/**
 * Accepts a request id as people copy it: complete, or the end of it after an ellipsis. Throws Refusal if the end is
 * too short to search for.
 */
function readRequest(text: string | null | undefined): RequestSearch | null {
  const wanted = readSearch(text);
  if (wanted === null) return null;
  if (WHOLE_ID.test(wanted)) return { id: wanted };
  const [end] = END_OF_ID.exec(wanted.toUpperCase()) ?? [];
  if (end === undefined) refuseParameter('requestId', 'Give at least the last 4 characters of the request id.');
  return { end };
}

/** Throws Refusal `invalid_parameter`. */
function readStatus(status: number | null | undefined): number | null {
  if (status === null || status === undefined) return null;
  if (status < 200 || status > 599) refuseParameter('status', 'A status is 200 to 599.');
  return status;
}

builder.queryField('calls', (t) =>
  t.field({
    type: CallConnection,
    authScopes: ofFirm,
    description: "The latest calls of the firm's keys.",
    args: {
      keyId: t.arg.id({ description: 'Only calls with this key.' }),
      outcome: t.arg.string({ description: `${either(OUTCOMES)}.` }),
      endpoint: t.arg.string({ description: 'Only calls of this method and route.' }),
      status: t.arg.int({ description: 'Only calls with this HTTP status.' }),
      errorCode: t.arg.string({ description: 'Only calls with this error code.' }),
      requestId: t.arg.id({
        description: 'Only the call with this id, or calls whose ids end with these characters (at least 4).',
      }),
      since: t.arg({ type: 'Timestamp', description: 'Inclusive.' }),
      until: t.arg({ type: 'Timestamp', description: 'Exclusive.' }),
      ...RECORD_ARGS,
    },
    resolve: async (_root, args, context) => {
      const query = {
        ...readRecorded(args),
        status: readStatus(args.status),
        errorCode: readSearch(args.errorCode),
        request: readRequest(args.requestId),
      };
      const request = readWalk(args, { list: 'calls', query, keys: BY_TIME, max: MAX_RECORDS }, context);
      const calls = await listCalls(context.database, requireUser(context), query, request.walk);
      return toWalkPage(calls, request, ({ at, requestId }) => [at, requestId]);
    },
  }),
);
