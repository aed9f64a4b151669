// Repositories: what a grant says, as the command line and the export of a client print it.
import { scopesOf } from '#core/scopes.ts';
import type { Grant, NamedGrant } from './grant-queries.ts';

/** From whom it is addressed to until when it ended; times are in ISO 8601, UTC. */
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
