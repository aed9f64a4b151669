// Gateway: from an API key and a client to a principal, in the order of the refusals.
import { Refusal, refuse } from '#core/errors.ts';
import { isWithin } from '#core/networks.ts';
import type { Principal } from '#core/principal.ts';
import { NO_SCOPES } from '#core/scopes.ts';
import { type ActiveAdmission, type Admission, isActive } from '#repositories/admission/admission.ts';

export { type ActiveAdmission, type Admission, isActive };

export type Partner = Extract<Principal, { kind: 'partner' }>;

/** When an admission was valid: the sync horizon read before it, and the log position; null where not requested. */
export interface AdmittedAt {
  horizon: string | null;
  position: string | null;
}

/** Throws Refusal unless the key is usable. Revoked takes precedence over expired. */
export function requireValidKey<Found extends { admission: Admission }>(found: Found | null): Found {
  const state = found?.admission.key.state ?? 'revoked';
  if (found === null || state === 'revoked') refuse('invalid_api_key', 'The API key is unknown or revoked.');
  if (state === 'expired') throw new Refusal('expired_api_key');
  return found;
}

/**
 * The refusal of a key at this address; null where the key may be used there. Text that is no address is in no network.
 */
export function refusedNetwork({ key: { allowedNetworks } }: Admission, address: string): Refusal | null {
  if (allowedNetworks.length === 0 || isWithin(allowedNetworks, address)) return null;
  return new Refusal('network_not_allowed', { message: `The API key may not be used from ${address}.` });
}

/**
 * The partner of this key for this client. Throws Refusal `plan_inactive`, `no_active_grant`, `grant_expired`,
 * `grant_revoked`, or `insufficient_scope` where key and grant have no scope in common.
 */
export function admitPartner(
  { key, planActive, client, grant }: Admission,
  { horizon, position }: AdmittedAt,
): Partner {
  if (!planActive) throw new Refusal('plan_inactive');
  if (client === null || grant === null) throw new Refusal('no_active_grant');
  if (grant.state === 'revoked') throw new Refusal('grant_revoked');
  if (grant.state === 'expired') throw new Refusal('grant_expired');
  const scopes = key.scopes & grant.scopes;
  if (scopes === NO_SCOPES) refuse('insufficient_scope', 'The key and the grant have no scope in common.');
  return {
    kind: 'partner',
    view: {
      clientId: client.id,
      reportingCurrency: client.reportingCurrency,
      scopes,
      keyScopes: key.scopes,
      filter: grant.filter,
      changedAt: grant.changedAt,
      horizon,
      position,
    },
  };
}

/** Scopes common to key and grant, for the access record; none without an active grant. */
export function effectiveScopes({ key, grant }: Admission): number {
  return grant?.state === 'active' ? key.scopes & grant.scopes : NO_SCOPES;
}
