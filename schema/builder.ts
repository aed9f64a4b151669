// Schema: the builder without types: scope-auth on every field, and scalars.
import SchemaBuilder from '@pothos/core';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import type { Context } from '#gateway/execution/context.ts';
import { type AuthScope, authScopesOf, scopeRefusal } from '#gateway/execution/scopes.ts';

interface SchemaTypes {
  Context: Context;
  AuthScopes: Record<AuthScope, boolean>;
  DefaultAuthStrategy: 'all';
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    Timestamp: { Input: string; Output: string };
    Date: { Input: string; Output: string };
    Decimal: { Input: string; Output: string };
    Int64: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}

/** The first declared scope that the caller lacks. Fields declare a map of scopes, all of which are required. */
function lackingScope(failure: AuthFailure): AuthScope | null {
  if (failure.kind === 'AuthScope') return failure.scope as AuthScope;
  return failure.kind === 'AllAuthScopes' ? (failure.failures.map(lackingScope).find(Boolean) ?? null) : null;
}

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    defaultStrategy: 'all',
    authScopes: authScopesOf,
    unauthorizedError: (_parent, { view }, _info, { failure }) => scopeRefusal(lackingScope(failure) ?? 'tools', view),
  },
});

/** Scopes that all fields of several types require. */
export const ofClient = { client: true } as const;
export const ofFirm = { firm: true } as const;
export const ofDeveloper = { firmDeveloper: true } as const;
export const ofAdministrator = { firmAdministrator: true } as const;
export const ofConsent = { consent: true } as const;
export const ofPortal = { portal: true } as const;
export const ofOperations = { operations: true } as const;

type Extended = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never;

/** Builds the fields of an object type, for fields that several types share. */
export type FieldBuilder<Shape> = PothosSchemaTypes.ObjectFieldBuilder<Extended, Shape>;
