// Gateway: the authorization scopes declared by schema fields, and which caller has them.
import type { GraphQLField, GraphQLNamedType } from 'graphql';
import { Refusal } from '#core/errors.ts';
import type { PortfolioView, Principal } from '#core/principal.ts';
import { hasScope, isScope, NO_SCOPES, SCOPES, type Scope } from '#core/scopes.ts';
import type { Context } from './context.ts';

/** Scopes of client data, and further requirements that a field can have. */
export type AuthScope =
  | Scope
  /** Reads a portfolio through at least one scope. */
  | 'portfolio'
  /** Is a plant store account. */
  | 'plants'
  /** Is an internal tool. */
  | 'tools'
  /** Is a user signed in to the portal. */
  | 'portal'
  /** Is a firm's member, of any role. */
  | 'firm'
  /** Is a firm's developer or administrator, who manages keys and requests. */
  | 'firmDeveloper'
  /** Is a firm's administrator, who manages members and settings. */
  | 'firmAdministrator'
  /** Is a client, for their own data and decisions. */
  | 'client'
  /** Is a party to a consent: a firm's member or a client. */
  | 'consent'
  /** Is internal: a portal user or a tool. */
  | 'inside'
  /** May monitor limits, usage and health. */
  | 'operations'
  /** May administer. */
  | 'administration';

export type AuthScopeMap = Record<AuthScope, boolean>;

/** The static scopes of a field. Throws unless they are a plain map: others could not be checked once per request. */
export function declaredScopes(
  type: GraphQLNamedType,
  { name, extensions }: Pick<GraphQLField<unknown, unknown>, 'name' | 'extensions'>,
): AuthScope[] {
  const declared = (extensions.pothosOptions as { authScopes?: unknown } | undefined)?.authScopes;
  const plain = typeof declared === 'object' && declared !== null && Object.values(declared).every((on) => on === true);
  if (!plain) throw new Error(`${type.name}.${name} must declare its scopes as a plain map of scope: true`);
  return Object.keys(declared) as AuthScope[];
}

/** `insufficient_scope` for a scope of client data, `forbidden` otherwise. */
export function scopeRefusal(scope: AuthScope, view: PortfolioView | null, what = 'This'): Refusal {
  if (isScope(scope)) {
    const message = `${what} needs the scope ${scope}${view === null ? '' : `, which ${lackedBy(scope, view)}`}.`;
    return new Refusal('insufficient_scope', { message });
  }
  // Only tools lack it: partners are admitted with a view, and no operation of the portal asks for it.
  const message = 'Portfolios are read as a key: name it in X-Act-As-Key.';
  return new Refusal('forbidden', scope === 'portfolio' ? { message } : {});
}

/** Where both lack it, the key is named: without the scope in the key, the client's consent would change nothing. */
const lackedBy = (scope: Scope, { keyScopes }: PortfolioView): string =>
  hasScope(keyScopes, scope) ? 'the client has not granted' : 'the key does not have';

/** Throws Refusal `insufficient_scope` for an argument whose effect would reveal data outside the scopes. */
export function requireArgumentScopes(
  { view }: Pick<Context, 'view'>,
  given: Readonly<Record<string, unknown>>,
  needed: Readonly<Record<string, Scope>>,
): void {
  for (const [argument, scope] of Object.entries(needed)) {
    if (given[argument] === undefined || given[argument] === null) continue;
    if (!hasScope(view?.scopes ?? NO_SCOPES, scope)) throw scopeRefusal(scope, view, 'This filter');
  }
}

const AT_THE_PORTAL: ReadonlySet<Principal['kind']> = new Set(['firm_member', 'client', 'operator']);

const role = (principal: Principal, ...roles: string[]) =>
  principal.kind === 'service' && roles.includes(principal.role);

/** Plain booleans, known before execution, so that scopes are checked per request instead of per row. */
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

/** A name derived from everything that authScopesOf uses: callers with the same name have the same scopes. */
export function scopeSetName({ principal, view }: Pick<Context, 'principal' | 'view'>): string {
  const role = 'role' in principal ? principal.role : '';
  return `${principal.kind} ${role} ${view?.scopes ?? NO_SCOPES}`;
}
