// Gateway room: the authorization scopes that schema fields declare, and who holds which.
import type { Principal } from '#core/principal.ts';
import { hasScope, NO_SCOPES, SCOPES, type Scope } from '#core/scopes.ts';
import type { Context } from './context.ts';

/** The seven scopes of client data, and what else a field can ask of its caller. */
export type AuthScope =
  | Scope
  /** Looks at a portfolio through at least one scope. */
  | 'portfolio'
  /** Is a plant store account. */
  | 'plants'
  /** Is any internal tool. */
  | 'tools'
  /** May watch limits, usage and health. */
  | 'operations'
  /** May administer. */
  | 'administration';

export type AuthScopeMap = Record<AuthScope, boolean>;

const role = (principal: Principal, ...roles: string[]) =>
  principal.kind === 'service' && roles.includes(principal.role);

/** Plain booleans, known before execution: a field's scopes can be checked per request instead of per row. */
export function authScopesOf({ principal, view }: Pick<Context, 'principal' | 'view'>): AuthScopeMap {
  const scopes = view?.scopes ?? NO_SCOPES;
  const data = Object.fromEntries(SCOPES.map((scope) => [scope, hasScope(scopes, scope)])) as Record<Scope, boolean>;
  return {
    ...data,
    portfolio: scopes !== NO_SCOPES,
    plants: principal.kind === 'plant_account',
    tools: principal.kind === 'service',
    operations: role(principal, 'ops', 'admin'),
    administration: role(principal, 'admin'),
  };
}
