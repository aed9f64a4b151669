// Gateway: a client's preview of what a partner sees: the admission that a grant, or a draft of one, would give.
import { type AssetFilter, parseAssetFilter } from '#core/asset-filter.ts';
import { refuse, refuseParameter } from '#core/errors.ts';
import type { ScopeSet } from '#core/scopes.ts';
import type { Sql } from '#database/database.ts';
import type { Admission } from '#repositories/admission/admission.ts';
import { readHorizon } from '#repositories/admission/change-log.ts';
import { givenTerms, requireTerms } from '#repositories/grants/grant-terms.ts';
import { type Draft, draftForKey, draftFromGrant } from '#repositories/keys/key-summaries.ts';
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
  { grantId, keyId, scopes, filter }: Drafted,
): Promise<(named: string | null) => Partner> {
  if ((grantId === null) === (keyId === null)) refuseParameter('grantId', 'Give either a grant or a key.');
  if (grantId === null && (scopes === undefined || filter === undefined))
    refuseParameter('scopes', 'The draft for a key names scopes and a filter.');
  // The horizon is read before the draft, so that the draft sees views that change meanwhile.
  const horizon = await readHorizon(sql);
  const draft =
    grantId === null ? await draftForKey(sql, clientId, keyId ?? '') : await draftFromGrant(sql, clientId, grantId);
  if (draft === null) {
    const message = grantId === null ? `There is no key ${keyId}.` : `There is no grant ${grantId}.`;
    refuse('resource_not_found', message);
  }
  await requireTerms(sql, clientId, givenTerms({ scopes, filter }));
  const admission = admissionOf(draft, scopes ?? draft.grant?.scopes, filter ?? draft.grant?.filter);
  const at = { horizon, position: draft.position };
  return (named) => admitPartner(named === clientId ? admission : { ...admission, client: null, grant: null }, at);
}

function admissionOf(draft: Draft, scopes: ScopeSet | undefined, filter: AssetFilter | undefined): Admission {
  const { key, client, grant, now } = draft;
  if (scopes === undefined || filter === undefined) throw new Error('a draft has scopes and a filter');
  // A view that is not in force yet begins now: a partner would get all of it, for any updated_since.
  const inForce =
    grant?.status === 'active' &&
    grant.scopes === scopes &&
    JSON.stringify(canonical(grant.filter)) === JSON.stringify(canonical(filter));
  return {
    key: { ...key, firmLimit: null, shadow: null, state: 'active', allowedNetworks: [] },
    planActive: true,
    client,
    grant: {
      id: grant?.id ?? '',
      state: 'active',
      scopes,
      filter,
      changedAt: (inForce ? grant.changedAt : null) ?? now,
    },
    endsAt: null,
  };
}

/** PostgreSQL returns the members of a stored filter in another order. */
function canonical(filter: AssetFilter): AssetFilter | string {
  return parseAssetFilter(filter);
}
