// Gateway: the authorization scopes that schema fields declare, and who holds which.
import type { GraphQLField, GraphQLNamedType } from 'graphql';
import { Refusal } from '#core/errors.ts';
import type { Principal } from '#core/principal.ts';
import { hasScope, isScope, NO_SCOPES, SCOPES, type Scope } from '#core/scopes.ts';
import type { Context } from './context.ts';

/** The scopes of client data, and what else a field can ask of its caller. */
export type AuthScope =
  | Scope
  /** Looks at a portfolio through at least one scope. */
  | 'portfolio'
  /** Is a plant store account. */
  | 'plants'
  /** Is any internal tool. */
  | 'tools'
  /** Is a person signed in to the portal. */
  | 'portal'
  /** Is a firm's member: sees what the firm may. */
  | 'firm'
  /** Is a member who makes keys and requests: a developer or an administrator. */
  | 'firmDeveloper'
  /** Is a member who manages the others and the firm's settings. */
  | 'firmAdministrator'
  /** Is a client: sees and decides what is their own. */
  | 'client'
  /** Is one of the two sides of a consent: a firm's member or a client. */
  | 'consent'
  /** Looks from within: a person at the portal or an internal tool. */
  | 'inside'
  /** May watch limits, usage and health. */
  | 'operations'
  /** May administer. */
  | 'administration';

export type AuthScopeMap = Record<AuthScope, boolean>;

/** The static scopes a field declares. Throws where they are not a plain map: such a check could not be hoisted. */
export function declaredScopes(
  type: GraphQLNamedType,
  { name, extensions }: Pick<GraphQLField<unknown, unknown>, 'name' | 'extensions'>,
): AuthScope[] {
  const declared = (extensions.pothosOptions as { authScopes?: unknown } | undefined)?.authScopes;
  const plain = typeof declared === 'object' && declared !== null && Object.values(declared).every((on) => on === true);
  if (!plain) throw new Error(`${type.name}.${name} must declare its scopes as a plain map of scope: true`);
  return Object.keys(declared) as AuthScope[];
}

/** `insufficient_scope` where the scope is one of a client's data, `forbidden` otherwise. */
export const scopeRefusal = (scope: AuthScope): Refusal =>
  isScope(scope)
    ? new Refusal('insufficient_scope', { message: `This needs the scope ${scope}.` })
    : new Refusal('forbidden');

const AT_THE_PORTAL: ReadonlySet<Principal['kind']> = new Set(['firm_member', 'client', 'operator']);

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
    portal: AT_THE_PORTAL.has(principal.kind),
    firm: principal.kind === 'firm_member',
    firmDeveloper: principal.kind === 'firm_member' && principal.role !== 'auditor',
    firmAdministrator: principal.kind === 'firm_member' && principal.role === 'administrator',
    client: principal.kind === 'client',
    consent: principal.kind === 'firm_member' || principal.kind === 'client',
    inside: AT_THE_PORTAL.has(principal.kind) || principal.kind === 'service',
    operations: principal.kind === 'operator' || role(principal, 'ops', 'admin'),
    administration: role(principal, 'admin'),
  };
}

/** All that authScopesOf looks at, as a name: callers of one name hold the same scopes. */
export function scopeSetName({ principal, view }: Pick<Context, 'principal' | 'view'>): string {
  const role = 'role' in principal ? principal.role : '';
  return `${principal.kind} ${role} ${view?.scopes ?? NO_SCOPES}`;
}
