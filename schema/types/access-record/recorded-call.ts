// Schema: what a firm's list of calls and a client's access record have in common, each with the scope of its side.
import { scopesOf } from '#core/scopes.ts';
import { type Given, readOutcome } from '#gateway/consent/portal-arguments.ts';
import type { AccessEntry, AccessQuery } from '#repositories/access-record/pages.ts';
import { builder, type FieldBuilder } from '../../builder.ts';
import { exposed } from '../../exposed.ts';
import { WALK_ARGS } from '../portfolio/page.ts';

/** Most rows of a page. */
export const MAX_RECORDS = 1_000;

export const RECORD_ARGS = {
  ...WALK_ARGS,
  ...builder.args((t) => ({ first: t.int({ description: 'Rows per page, 1 to 1000; 25 where not given.' }) })),
};

export function recordedFields(t: FieldBuilder<AccessEntry>, scope: 'firm' | 'client') {
  return {
    ...exposed(t, scope, {
      at: ['Timestamp', 'When it was answered.'],
      environment: ['String', 'sandbox or production.'],
      endpoint: ['String', 'Method and route, e.g. `GET /api/v1/assets`.'],
      registryId: ['String?', 'The item named in the path.'],
      status: ['Int', 'HTTP status.'],
      errorCode: ['String?', 'Code of the error; null where there was none, or it was not kept yet.'],
    }),
    scopes: t.stringList({
      authScopes: { [scope]: true },
      description: 'Names of the scopes in effect; none without an active grant.',
      resolve: ({ scopes }) => scopesOf(scopes),
    }),
  };
}

interface RecordedArguments {
  keyId?: Given<string>;
  outcome?: Given<string>;
  endpoint?: Given<string>;
  since?: Given<string>;
  until?: Given<string>;
}

/** Throws Refusal `invalid_parameter`. */
export function readRecorded({ keyId, outcome, endpoint, since, until }: RecordedArguments): AccessQuery {
  return {
    keyId: keyId ?? null,
    outcome: readOutcome(outcome),
    endpoint: endpoint ?? null,
    since: since ?? null,
    until: until ?? null,
  };
}
