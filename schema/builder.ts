// Schema: the builder, without types: scope-auth on every field, costs, and the scalars of the wire.
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import type { Context } from '#gateway/execution/context.ts';
import { scopeRefusal } from '#gateway/execution/prune.ts';
import { type AuthScope, authScopesOf } from '#gateway/execution/scopes.ts';

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

/** The first scope that was declared and not held; fields declare them as maps, of which all are needed. */
function lackingScope(failure: AuthFailure): AuthScope | null {
  if (failure.kind === 'AuthScope') return failure.scope as AuthScope;
  return failure.kind === 'AllAuthScopes' ? (failure.failures.map(lackingScope).find(Boolean) ?? null) : null;
}

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    defaultStrategy: 'all',
    authScopes: authScopesOf,
    unauthorizedError: (_parent, _context, _info, { failure }) => scopeRefusal(lackingScope(failure) ?? 'tools'),
  },
});

export type Builder = typeof builder;

type Extended = Builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never;

/** What makes the fields of an object type, for fields that several types have. */
export type FieldBuilder<Shape> = PothosSchemaTypes.ObjectFieldBuilder<Extended, Shape>;
