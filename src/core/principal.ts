// Core: the caller, and which part of which client's portfolio the caller may see.
import type { AssetFilter } from './asset-filter.ts';
import type { FirmRole } from './firm-roles.ts';
import type { ScopeSet } from './scopes.ts';

export const ENVIRONMENTS = ['sandbox', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const SERVICE_ROLES = ['support', 'ops', 'admin'] as const;
export type ServiceRole = (typeof SERVICE_ROLES)[number];

/** What a token of each kind is issued to: an account of the plant store, or an internal tool in this role. */
export interface TokenHolders {
  plant: string;
  service: ServiceRole;
}
export type TokenKind = keyof TokenHolders;

/** One client's portfolio through one grant, as read once for a request. */
export interface PortfolioView {
  clientId: string;
  reportingCurrency: string;
  /** Effective scopes: the key's ∩ the grant's. */
  scopes: ScopeSet;
  /** The key's scopes, by which a refusal says who lacks one; a client's own view has all. */
  keyScopes: ScopeSet;
  filter: AssetFilter;
  /** When the view last changed as a whole (activation, scopes, filter, first items): RFC 3339. */
  changedAt: string;
  /**
   * Every change committed later than this will have a later `updated_at`: RFC 3339. Null where it was not requested.
   */
  horizon: string | null;
  /** LOG_POSITION of the database at the time (see `database/snapshot.ts`); null where the view was read without it. */
  position: string | null;
}

export type Principal =
  | { kind: 'partner'; view: PortfolioView }
  | { kind: 'client'; userId: string; view: PortfolioView }
  | { kind: 'firm_member'; userId: string; firmId: string; role: FirmRole }
  | { kind: 'operator'; userId: string }
  | { kind: 'service'; tokenId: string; role: ServiceRole; view: PortfolioView | null }
  | { kind: 'plant_account'; accountId: string };

/** The portfolio that this caller may read, if any. */
export const viewOf = (principal: Principal): PortfolioView | null => ('view' in principal ? principal.view : null);
