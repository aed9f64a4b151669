// Repositories: the JSON of a grant for the command line and the export of a client.
import { scopesOf } from '#core/scopes.ts';
import type { Grant, NamedGrant } from './grant-queries.ts';

/** From addressee to end; times are ISO 8601 in UTC. */
export const grantTermsJson = (grant: Grant | NamedGrant) => ({
  addressee: grant.addressee,
  status: grant.status,
  scopes: scopesOf(grant.scopes),
  filter: grant.filter,
  purpose: grant.purpose,
  created_at: grant.createdAt,
  activated_at: grant.activatedAt,
  expires_at: grant.expiresAt,
  ended_at: grant.endedAt,
});
