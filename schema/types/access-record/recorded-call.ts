// Schema: the common fields of a firm's calls and a client's access record.
import { ENVIRONMENTS } from '#core/principal.ts';
import { type Given, readOutcome } from '#gateway/consent/portal-arguments.ts';
import type { AccessQuery } from '#repositories/access-record/pages.ts';
import { builder } from '../../builder.ts';
import { either } from '../../either.ts';
import { WALK_ARGS } from '../portfolio/page.ts';

/** Maximum number of rows per page. */
export const MAX_RECORDS = 1_000;

export const RECORD_ARGS = {
  ...WALK_ARGS,
  ...builder.args((t) => ({ first: t.int({ description: 'Rows per page, 1 to 1000; 25 by default.' }) })),
};

export const RECORDED = {
  at: ['Timestamp', 'When it was answered.'],
  environment: ['String', `${either(ENVIRONMENTS)}.`],
  endpoint: ['String', 'Method and route, e.g. `GET /api/v1/assets`.'],
  registryId: ['String?', 'The item named in the path.'],
  status: ['Int', 'HTTP status.'],
  errorCode: ['String?', 'Code of the error; null if there was none, or if it was not recorded.'],
  scopes: ['Scopes', 'Names of the effective scopes; empty without an active grant.'],
} as const;

type RecordedArguments = Partial<Record<keyof AccessQuery, Given<string>>>;

/** Throws Refusal `invalid_parameter`. */
export function readRecorded(given: RecordedArguments): AccessQuery {
  const { keyId = null, outcome, endpoint = null, since = null, until = null } = given;
  return { keyId, outcome: readOutcome(outcome), endpoint, since, until };
}
