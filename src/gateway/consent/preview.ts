// Gateway: a client's preview of what a partner sees: the admission that a grant, or a draft of one, would give.
import { isDeepStrictEqual } from 'node:util';
import { type AssetFilter, parseAssetFilter } from '#core/asset-filter.ts';
import { refuse, refuseParameter } from '#core/errors.ts';
import type { ScopeSet } from '#core/scopes.ts';
import { toTimestamp } from '#core/timestamps.ts';
import type { Sql } from '#database/database.ts';
import { type Admission, type ReadAdmission, readAdmissions } from '#repositories/admission/admission.ts';
import { readHorizon } from '#repositories/admission/change-log.ts';
import { requireGrantAccess } from '#repositories/grants/grant-access.ts';
import { givenTerms, requireTerms } from '#repositories/grants/grant-terms.ts';
import { requireKeySummary } from '#repositories/keys/key-summaries.ts';
import { admitPartner, type Partner } from '../admission/admission.ts';

/**
 * The API's response to this path and query in this version (a date; default: the newest), with the partner that
 * `admit` returns for the client named by the query.
 */
export type AnswerAs = (
  admit: (clientId: string | null) => Partner,
  target: string,
  version: string | undefined,
) => Promise<{ status: number; body: string }>;

export interface Drafted {
  grantId: string | null;
  keyId: string | null;
  scopes: ScopeSet | undefined;
  filter: AssetFilter | undefined;
}

/**
 * The partner's admission by client id. Throws Refusal `resource_not_found` where the grant is not the client's or the
 * client could not grant anything to the key, `invalid_parameter` for impossible terms.
 */
export async function draftAdmission(
  sql: Sql,
  clientId: string,
  { grantId, keyId, ...given }: Drafted,
): Promise<(named: string | null) => Partner> {
  if ((grantId === null) === (keyId === null)) refuseParameter('grantId', 'Give either a grant or a key.');
  // The horizon is read before the admission, which therefore sees views that change meanwhile.
  const horizon = await readHorizon(sql);
  const grant = grantId === null ? null : await requireGrantAccess(sql, grantId, { kind: 'client', id: clientId });
  const { scopes = grant?.scopes, filter = grant?.filter } = given;
  if (scopes === undefined || filter === undefined)
    refuseParameter('scopes', 'The draft for a key names scopes and a filter.');
  const key = grant?.keyId ?? (await requireKeySummary(sql, clientId, keyId ?? '')).keyId;
  await requireTerms(sql, clientId, givenTerms(given));
  const [read] = await readAdmissions(sql, [{ key, clientId }]);
  if (read == null) refuse('resource_not_found', `There is no key ${key}.`);
  const admission = asIfGiven(read, { id: grant?.id ?? '', scopes, filter });
  const at = { horizon, position: read.moment.position };
  return (named) => admitPartner(named === clientId ? admission : { ...admission, client: null }, at);
}

function asIfGiven(
  { admission, moment }: ReadAdmission,
  draft: { id: string; scopes: ScopeSet; filter: AssetFilter },
): Admission {
  const present = admission.grant;
  // A view that is not in force yet begins now: a partner would get all of it, for any updated_since.
  const inForce =
    present?.id === draft.id &&
    present.state === 'active' &&
    present.scopes === draft.scopes &&
    isDeepStrictEqual(parseAssetFilter(present.filter), parseAssetFilter(draft.filter));
  const changedAt = inForce ? present.changedAt : toTimestamp(moment.instant * 1000);
  return { ...admission, planActive: true, grant: { ...draft, state: 'active', changedAt } };
}
